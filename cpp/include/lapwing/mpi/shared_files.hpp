#pragma once
// The files of shared memory that MPI makes in /dev/shm.

namespace lapwing {

// Unlinks the files of MPICH that this process has mapped: they then vanish with their last process, however it ends.
// Call it only when all ranks of the node have mapped them, as they have when MPI_Init is over on all. Looks once per
// process: files that MPICH makes later lose their names by themselves. Local.
void unlink_shared_files();

// Makes a bus error of this process, by which the system reports that a file of shared memory has no room, print that
// before it ends the process. Keeps handlers that others installed. Local.
void explain_bus_errors();

}  // namespace lapwing
