#include "lapwing/base/version.hpp"

namespace lapwing {

const char* version() { return LAPWING_VERSION; }

}  // namespace lapwing
