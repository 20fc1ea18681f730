#pragma once

/// Runs the Catch tests of this program. Local; `argc`, `argv`: of main. Returns the number of failures.
///
/// Catch's implementation takes longer to compile than most tests, so it is compiled once, behind this function.
int run_catch(int argc, char** argv);
