#pragma once
// The end of a job by one of its ranks.

namespace lapwing {

// Ends all ranks with this code, half a second from now: the launcher is killed with the job, and what was printed must
// have passed it before. Local.
[[noreturn]] void end_job(int code);

}  // namespace lapwing
