#include "mpi/progress/progress_thread.hpp"

#include <chrono>
#include <cstdlib>
#include <string>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

// The kernel rounds it up to some 70 us; without a pause the thread would take a core, and MPI's locks, for itself.
constexpr std::chrono::microseconds pause{20};

}  // namespace

bool wants_progress_thread() {
    const char* value = std::getenv("LAPWING_PROGRESS_THREAD");
    const std::string text = value == nullptr || *value == '\0' ? "0" : value;
    if (text != "0" && text != "1") {
        user_error("LAPWING_PROGRESS_THREAD", text, "1 for a thread that calls MPI while ranks compute, or 0",
                   "change or unset it");
    }
    return text == "1";
}

ProgressThread::ProgressThread() {
    int level = MPI_THREAD_SINGLE;
    check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
    if (level < MPI_THREAD_MULTIPLE) {
        user_error("LAPWING_PROGRESS_THREAD", "an MPI that was initialised for one thread that calls it",
                   "MPI_THREAD_MULTIPLE", "ask MPI_Init_thread for it, or leave the initialising to lapwing");
    }
    check_mpi(MPI_Comm_dup(MPI_COMM_SELF, &comm_), "MPI_Comm_dup");
    // MPI_Finalize deletes this attribute before anything else: the last moment at which the thread can end
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &at_finalize, &key_, nullptr), "MPI_Comm_create_keyval");
    check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key_, this), "MPI_Comm_set_attr");
    thread_ = std::jthread([comm = comm_](const std::stop_token& stopped) {
        while (!stopped.stop_requested()) {
            int arrived = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &arrived, MPI_STATUS_IGNORE);
            std::this_thread::sleep_for(pause);
        }
    });
}

ProgressThread::~ProgressThread() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_delete_attr(MPI_COMM_SELF, key_);  // stops it; else MPI_Finalize has
}

int ProgressThread::at_finalize(MPI_Comm /*comm*/, int /*key*/, void* self, void* /*unused*/) {
    static_cast<ProgressThread*>(self)->stop();
    return MPI_SUCCESS;
}

void ProgressThread::stop() {
    thread_.request_stop();
    thread_.join();
    MPI_Comm_free(&comm_);
    MPI_Comm_free_keyval(&key_);
}

}  // namespace lapwing
