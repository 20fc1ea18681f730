// Time as the library sees it, where it measures: that of the simulation. Defined here, it comes before the one of the
// C++ library, so that nothing that is measured needs to know whether it is simulated.

#include <simgrid/engine.h>

#include <chrono>

namespace std::chrono::_V2 {

steady_clock::time_point steady_clock::now() noexcept {
    return time_point(duration_cast<duration>(std::chrono::duration<double>(simgrid_get_clock())));
}

}  // namespace std::chrono::_V2
