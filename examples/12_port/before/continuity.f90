!> Elevation: depths on the faces, then what flows through them, and the tide on the western side.
module continuity
  use domain, only: imax, ioff, jmax
  use halo_exchange, only: update_halo, wait_halo
  use parameters, only: dt, height, period, pi, spacing, wp
  use sea, only: before, depth, hu, hv, mz, u, v, z
  implicit none
  private
  public :: set_faces, step_z, set_tide

contains

  !> Water depths on the faces.
  subroutine set_faces()
    integer :: i, j

    call wait_halo(z, 3)
    do j = 1, jmax
      do i = 1, imax
        hu(i, j) = 0.5_wp*(depth(i, j) + depth(i + 1, j) + z(i, j) + z(i + 1, j))
        hv(i, j) = 0.5_wp*(depth(i, j) + depth(i, j + 1) + z(i, j) + z(i, j + 1))
      end do
    end do
    call update_halo(hu, 4)
    call update_halo(hv, 5)
  end subroutine

  !> dz/dt = -d(D u)/dx - d(D v)/dy
  subroutine step_z()
    integer :: i, j

    call wait_halo(hu, 4)
    call wait_halo(hv, 5)
    call wait_halo(v, 2)
    do j = 1, jmax
      do i = 1, imax
        before(i, j) = depth(i, j) + z(i, j)
        z(i, j) = mz(i, j)*(z(i, j) - dt*(hu(i, j)*u(i, j) - hu(i - 1, j)*u(i - 1, j) &
                                          + hv(i, j)*v(i, j) - hv(i, j - 1)*v(i, j - 1))/spacing)
      end do
    end do
  end subroutine

  !> The elevation of the first column of the grid.
  subroutine set_tide(time)
    real(wp), intent(in) :: time
    integer :: j

    if (ioff == 0) then
      do j = 1, jmax
        z(1, j) = height*sin(2*pi*time/period)
      end do
    end if
    call update_halo(z, 3)
  end subroutine
end module continuity
