!> Halos by lapwing, each looked at: update_halo and wait_halo as before, by a port that leaves port.json. An exchange is
!> known by its tag.
module halo_exchange
  use, intrinsic :: iso_fortran_env, only: wp => real64
  use domain, only: halo, imax, ioff, jmax, joff
  use lapwing, only: lapwing_port
  use mpi_calls, only: calls_world
  use parameters, only: nx, ny
  implicit none
  private
  public :: begin_step, end_halo, init_halo, update_halo, wait_halo
  character(*), parameter :: names(8) = ['u ', 'v ', 'z ', 'hu', 'hv', 'c ', 'fx', 'fy']
  type(lapwing_port) :: port

contains

  subroutine init_halo()
    integer :: comm

    call calls_world(comm)
    call port%create(comm, [nx, ny], [ioff + 1, joff + 1], [ioff + imax, joff + jmax], numbering='local', fixed=.true.)
  end subroutine

  subroutine begin_step()
    call port%begin_step()
  end subroutine

  subroutine end_halo()
    call port%finish()
  end subroutine

  subroutine update_halo(a, tag)
    real(wp), target, intent(in) :: a(1 - halo:, 1 - halo:)
    integer, intent(in) :: tag

    call port%start_halo(trim(names(tag)), a, halo)
  end subroutine

  subroutine wait_halo(a, tag)
    real(wp), intent(inout) :: a(1 - halo:, 1 - halo:)
    integer, intent(in) :: tag

    if (size(a) > 0) call port%wait_halo(trim(names(tag)))
  end subroutine
end module halo_exchange
