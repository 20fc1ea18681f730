// A kernel that does not fit its declarations: the compiler must refuse it in lapwing's words. One per MISFIT.
#include "lapwing/lapwing.hpp"

using namespace lapwing;

#if MISFIT == 1  // writes what it only reads
void kernel(Box, View<double>, View<double>) {}
#elif MISFIT == 2  // an argument too few
void kernel(Box, View<double>) {}
#elif MISFIT == 3  // another type of values
void kernel(Box, View<float>, View<const double>) {}
#elif MISFIT == 4  // another order
void kernel(Box, View<const double>, View<double>, double&) {}
#endif

Stage misfit(const Field<double>& a, const Field<double>& b) { return stage("misfit", kernel, writes(a), reads(b)); }
