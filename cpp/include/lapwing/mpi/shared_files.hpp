#pragma once
// The files of shared memory that MPI makes in /dev/shm.

namespace lapwing {

// Takes the names of those of MPICH that this process has mapped: they then vanish with their last process, however
// that ends. Only when all ranks of the node have mapped them, which they have when MPI_Init is over on all. Looks once
// a process: files that MPICH makes later lose their names by themselves. Local.
void unlink_shared_files();

// Lets a bus error of this process, by which the system tells that a file of shared memory has no room, say that before
// it ends the process. Leaves handlers of others alone. Local.
void explain_bus_errors();

}  // namespace lapwing
