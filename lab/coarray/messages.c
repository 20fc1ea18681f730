/* Messages of MPI for the Fortran programs of this folder: MPICH brings no Fortran interface with it. */
#include <mpi.h>

/* Sends a box to each of two ranks and receives one from each; both may be one rank. Collective among neighbours.
   The box that comes from `before` was its neighbour's second one, so it has tag 1. */
void swap_boxes(const double *out_before, const double *out_behind, double *in_before, double *in_behind, int values,
                int before, int behind) {
  MPI_Request open[4];
  MPI_Irecv(in_before, values, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &open[0]);
  MPI_Irecv(in_behind, values, MPI_DOUBLE, behind, 0, MPI_COMM_WORLD, &open[1]);
  MPI_Isend(out_before, values, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &open[2]);
  MPI_Isend(out_behind, values, MPI_DOUBLE, behind, 1, MPI_COMM_WORLD, &open[3]);
  MPI_Waitall(4, open, MPI_STATUSES_IGNORE);
}

static MPI_Request posted[2];

/* Sends values to one rank while as many come from another; `finish_shift` waits for both. Collective along a ring. */
void start_shift(const double *out, double *in, int values, int to, int from) {
  MPI_Irecv(in, values, MPI_DOUBLE, from, 3, MPI_COMM_WORLD, &posted[0]);
  MPI_Isend(out, values, MPI_DOUBLE, to, 3, MPI_COMM_WORLD, &posted[1]);
}

void finish_shift(void) { MPI_Waitall(2, posted, MPI_STATUSES_IGNORE); }

/* Sends values to the next rank and gets them back; rank 0 begins. */
void bounce(double *values, int number, int rank, int other) {
  if (rank == 0) {
    MPI_Send(values, number, MPI_DOUBLE, other, 4, MPI_COMM_WORLD);
    MPI_Recv(values, number, MPI_DOUBLE, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(values, number, MPI_DOUBLE, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(values, number, MPI_DOUBLE, other, 4, MPI_COMM_WORLD);
  }
}
