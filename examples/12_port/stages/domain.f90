!> Which cells of the grid this rank computes: imax x jmax of them. Local indices 1..imax, 1..jmax; ioff and joff are added
!> to give those of the whole grid.
module domain
  use lapwing, only: lapwing_domain
  use mpi_calls, only: calls_init, calls_world
  use parameters, only: nx, ny
  implicit none
  public
  integer, parameter :: halo = 1
  type(lapwing_domain) :: cells
  integer :: rank, ranks, imax, jmax, ioff, joff

contains

  subroutine init_domain()
    integer :: comm

    call calls_init(rank, ranks)
    call calls_world(comm)
    call cells%create(comm, [nx, ny], numbering='local')
    imax = cells%i2
    jmax = cells%j2
    ioff = 1 - cells%shift(1)
    joff = 1 - cells%shift(2)
  end subroutine
end module domain
