#include "lapwing/mpi/shared_files.hpp"

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace lapwing {

namespace {

constexpr char words[] =
    "lapwing: bus error: most likely /dev/shm is full, where MPI keeps the messages between ranks of a machine; look "
    "with "
    "`df /dev/shm`, remove what killed jobs left there (`lapwing doctor` names it), or give it more room (containers: "
    "--shm-size)\n";

void explain(int number) {
    const auto written = ::write(STDERR_FILENO, words, sizeof(words) - 1);
    static_cast<void>(written);
    ::signal(number, SIG_DFL);
    ::raise(number);
}

bool unlink_mapped() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const auto name = line.find("/dev/shm/mpich_shm_");
        if (name != std::string::npos && !line.ends_with("(deleted)")) ::unlink(line.c_str() + name);
    }
    return true;
}

}  // namespace

void unlink_shared_files() {
    [[maybe_unused]] static const bool once = unlink_mapped();  // reading the maps takes as long as making a domain
}

void explain_bus_errors() {
    struct sigaction before{};
    if (::sigaction(SIGBUS, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) ::signal(SIGBUS, explain);
}

}  // namespace lapwing
