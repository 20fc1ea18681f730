/* The few calls of MPI that the model makes, for MPIs that come without a Fortran module. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

void calls_init(int* rank, int* ranks) {
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
}
void calls_world(int* comm) { *comm = MPI_Comm_c2f(MPI_COMM_WORLD); }
void calls_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
void calls_finalize(void) { MPI_Finalize(); }
void calls_isend(const double* values, int count, int rank, int tag, int* request) {
    MPI_Request made;
    MPI_Isend(values, count, MPI_DOUBLE, rank, tag, MPI_COMM_WORLD, &made);
    *request = MPI_Request_c2f(made);
}
void calls_irecv(double* values, int count, int rank, int tag, int* request) {
    MPI_Request made;
    MPI_Irecv(values, count, MPI_DOUBLE, rank, tag, MPI_COMM_WORLD, &made);
    *request = MPI_Request_c2f(made);
}
void calls_wait(int* request) {
    MPI_Request given = MPI_Request_f2c(*request);
    MPI_Wait(&given, MPI_STATUS_IGNORE);
    *request = MPI_Request_c2f(given);
}
void calls_sum(int64_t* value) { MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD); }
void calls_max(double* value) { MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); }
