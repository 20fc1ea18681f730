#pragma once
// A peer: a program that does the exchanges of `lapwing bench exchange` on ranks of its own, perhaps with another MPI,
// and takes its turns there. Its main is `return run_peer(...)`.

#include <functional>
#include <memory>
#include <string>

#include "exchange/method.hpp"

namespace lapwing::bench {

using MakeMethod = std::function<std::unique_ptr<Method>(MPI_Comm, const ExchangeWork&)>;

// `PROGRAM --about` prints the library, its MPI and that MPI's launcher, a line each.
//
// `PROGRAM FOLDER METHOD NX NY LEVELS FIELDS WIDTH BLOCKS_X BLOCKS_Y LEVELS_FASTEST`, on BLOCKS_X * BLOCKS_Y ranks:
// each connects to the socket FOLDER/RANK and answers requests until it is closed. In between ranks sleep, so that
// others have the cores. Requests, the same to all ranks at a time:
//   sample ROUNDS   seconds per round of rewriting and exchanging, and of rewriting alone
//   check           cells of all ranks that are wrong after one exchange
//   check sample    the same after the exchanges that were timed last
//
// METHOD `hand-combined` is the hand-written reference on this program's MPI; any other name is what `make` makes.
// Returns the exit code.
int run_peer(int argc, char** argv, const std::string& library, const MakeMethod& make);

}  // namespace lapwing::bench
