#pragma once
// `lapwing bench exchange`: lapwing and the hand-written references, side by side in one run.

#include <map>
#include <string>
#include <vector>

#include "exchange_work.hpp"

namespace lapwing::bench {

// Seconds per exchange by method, raw samples. Collective; checks first that all methods move the
// same values.
std::map<std::string, std::vector<double>> time_exchange(MPI_Comm comm, const ExchangeWork& work, int samples,
                                                         int repeats);

}  // namespace lapwing::bench
