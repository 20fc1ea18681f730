!> Halos by lapwing: update_halo starts the exchange of an array, wait_halo waits for it. An exchange is known by its tag,
!> and made when it is first used.
module halo_exchange
  use, intrinsic :: iso_fortran_env, only: wp => real64
  use domain, only: halo, imax, ioff, jmax, joff
  use lapwing, only: lapwing_domain, lapwing_exchange, lapwing_field
  use mpi_calls, only: calls_world
  use parameters, only: nx, ny
  implicit none
  private
  public :: end_halo, init_halo, update_halo, wait_halo
  integer, parameter :: most_tags = 10
  character, parameter :: names(most_tags) = ['u', 'v', 'z', 'U', 'V', 'c', 'f', 'g', ' ', ' ']
  type(lapwing_domain) :: cells
  type(lapwing_field) :: fields(most_tags)
  type(lapwing_exchange) :: exchanges(most_tags)
  logical :: made(most_tags) = .false.

contains

  subroutine init_halo()
    integer :: comm

    call calls_world(comm)
    call cells%create_from_cells(comm, [nx, ny], [ioff + 1, joff + 1], [ioff + imax, joff + jmax], numbering='local')
  end subroutine

  subroutine end_halo()
    call cells%close()
  end subroutine

  subroutine update_halo(a, tag)
    real(wp), target, intent(in) :: a(1 - halo:, 1 - halo:)
    integer, intent(in) :: tag

    if (.not. made(tag)) then
      call fields(tag)%wrap(cells, names(tag), a)
      call exchanges(tag)%create(cells, [fields(tag)])
      made(tag) = .true.
    end if
    call exchanges(tag)%start()
  end subroutine

  subroutine wait_halo(a, tag)
    real(wp), intent(inout) :: a(1 - halo:, 1 - halo:)
    integer, intent(in) :: tag

    if (size(a) > 0) call exchanges(tag)%wait()
  end subroutine
end module halo_exchange
