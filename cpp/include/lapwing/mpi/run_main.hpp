#pragma once
// The frame of a program: MPI begins and ends around it, and an error of any rank ends all of them with a message.

#include <functional>
#include <string>

namespace lapwing {

// Initialises MPI, runs `program` on every rank, and returns the exit code for main: 0; 2 if it threw a UserError; 3
// for any other exception. An error of all ranks is printed once; if only some ranks threw, each of these prints its
// error, and the job is aborted, as the remaining ranks may wait for it. Collective over all ranks of the job.
int run_main(int argc, char** argv, const std::function<void()>& program);

// The end of such a program: prints the message of a code that is not 0 once, finalises MPI, and returns the largest
// code of all ranks; aborts the job if only some ranks have such a code. Collective over all ranks of the job.
int end_of_program(int code, const std::string& message);

// Lets an uncaught exception end the job as in run_main, instead of with a message from every rank's C++
// library. The first domain on several ranks calls it; the second call does nothing. Local.
void end_together_when_uncaught();

}  // namespace lapwing
