// The peer without a library: the hand-written reference alone.
#include "exchange/hand/hand_exchange.hpp"
#include "peer.hpp"

using namespace lapwing::bench;

int main(int argc, char** argv) {
    return run_peer(argc, argv, "no library", [](MPI_Comm comm, const ExchangeWork& work) {
        return std::make_unique<HandExchange>(comm, work, HandExchange::Kind::separate);
    });
}
