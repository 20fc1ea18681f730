#include "peer.hpp"

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "exchange/hand/hand_exchange.hpp"

namespace lapwing::bench {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// One line each, whatever the MPI's own text looks like.
void print_about(const std::string& library) {
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(mpi, &length);
    for (char* c = mpi; *c != 0; ++c) *c = *c == '\n' ? ' ' : *c;
    std::printf("%s\n%s\n%s\n", library.c_str(), mpi, LAPWING_PEER_MPIEXEC);
}

ExchangeWork work_of(char** numbers) {
    const auto number = [&](int n) { return std::stoi(numbers[n]); };
    const std::array blocks{number(5), number(6)};
    return {number(0), number(1), number(2), number(3), number(4), blocks, number(7) != 0};
}

File connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) throw std::runtime_error("too long for a socket: " + path);
    std::strcpy(address.sun_path, path.c_str());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        throw std::runtime_error("nobody listens at " + path);
    }
    return {fdopen(socket, "r+"), &std::fclose};
}

void answer(std::FILE* bench, Method& method, const char* request) {
    int rounds = 0;
    if (std::sscanf(request, "sample %d", &rounds) == 1) {
        const auto [with, without] = method.sample(rounds);
        std::fprintf(bench, "%.9g %.9g\n", with, without);
    } else if (std::strcmp(request, "check\n") == 0) {
        std::fprintf(bench, "%lld\n", static_cast<long long>(method.wrong_cells()));
    } else if (std::strcmp(request, "check sample\n") == 0) {
        std::fprintf(bench, "%lld\n", static_cast<long long>(method.wrong_after_sample()));
    } else {
        throw std::runtime_error(std::string("unknown request: ") + request);
    }
    std::fflush(bench);
}

// To the core of LAPWING_PEER_CORES, a number for each rank, that the same rank of the benchmark is bound to.
void bind_to_core(int rank) {
    const char* list = std::getenv("LAPWING_PEER_CORES");
    std::istringstream cores(list == nullptr ? "" : list);
    int core = 0;
    for (int n = 0; n <= rank; ++n) {
        if (!(cores >> core)) return;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);  // a rank that stays unbound is no error
}

void take_part(char** arguments, const MakeMethod& make) {
    const std::string folder = arguments[0], name = arguments[1];
    const ExchangeWork work = work_of(arguments + 2);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bind_to_core(rank);
    constexpr auto combined = HandExchange::Kind::combined;
    const auto method = name == "hand-combined" ? std::make_unique<HandExchange>(MPI_COMM_WORLD, work, combined)
                                                : make(MPI_COMM_WORLD, work);
    const File bench = connect_to(folder + "/" + std::to_string(rank));
    for (char request[64]; std::fgets(request, sizeof(request), bench.get());) answer(bench.get(), *method, request);
}

}  // namespace

int run_peer(int argc, char** argv, const std::string& library, const MakeMethod& make) {
    if (argc == 2 && std::strcmp(argv[1], "--about") == 0) {
        print_about(library);
        return 0;
    }
    if (argc != 11) {
        std::fprintf(stderr, "%s: got %d arguments, expected those of `lapwing bench exchange`, which starts it\n",
                     argv[0], argc - 1);
        return 2;
    }
    MPI_Init(&argc, &argv);
    try {
        take_part(argv + 1, make);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Finalize();
    return 0;
}

}  // namespace lapwing::bench
