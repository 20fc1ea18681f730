#define CATCH_CONFIG_RUNNER
#include "run_catch.hpp"

#include <catch2/catch.hpp>

int run_catch(int argc, char** argv) { return Catch::Session().run(argc, argv); }
