#pragma once
// How fast pieces of a field are packed and unpacked, beside memcpy of the same bytes.

#include <map>
#include <string>
#include <vector>

namespace lapwing::bench {

// Names that `time_pack` takes.
std::vector<std::string> pack_works();

// Seconds per call of methods "pack", "unpack" and "memcpy", which take turns: raw samples. "bytes": the bytes of one
// call. Local.
std::map<std::string, std::vector<double>> time_pack(const std::string& work, int samples);

}  // namespace lapwing::bench
