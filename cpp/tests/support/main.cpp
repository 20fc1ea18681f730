// The main of tests that run in one process.
#include <algorithm>

#include "run_catch.hpp"

// more than 255 failures must not wrap to success
int main(int argc, char** argv) { return std::min(run_catch(argc, argv), 255); }
