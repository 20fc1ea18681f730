!> The calls of MPI in mpi_calls.c.
module mpi_calls
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  public
  interface
    subroutine calls_init(rank, ranks) bind(C)
      import :: c_int
      integer(c_int), intent(out) :: rank, ranks
    end subroutine
    subroutine calls_world(comm) bind(C)
      import :: c_int
      integer(c_int), intent(out) :: comm
    end subroutine
    subroutine calls_barrier() bind(C)
    end subroutine
    subroutine calls_finalize() bind(C)
    end subroutine
    subroutine calls_isend(values, count, rank, tag, request) bind(C)
      import :: c_double, c_int
      real(c_double), intent(in) :: values(*)
      integer(c_int), value :: count, rank, tag
      integer(c_int), intent(out) :: request
    end subroutine
    subroutine calls_irecv(values, count, rank, tag, request) bind(C)
      import :: c_double, c_int
      real(c_double) :: values(*)
      integer(c_int), value :: count, rank, tag
      integer(c_int), intent(out) :: request
    end subroutine
    subroutine calls_wait(request) bind(C)
      import :: c_int
      integer(c_int), intent(inout) :: request
    end subroutine
    subroutine calls_sum(value) bind(C)
      import :: c_int64_t
      integer(c_int64_t), intent(inout) :: value
    end subroutine
    subroutine calls_max(value) bind(C)
      import :: c_double
      real(c_double), intent(inout) :: value
    end subroutine
  end interface
end module mpi_calls
