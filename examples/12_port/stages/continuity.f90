!> Elevation: depths on the faces, then what flows through them, and the tide on the western side.
module continuity
  use parameters, only: dt, height, period, pi, spacing, wp
  use sea, only: before, depth, hu, hv, mz, u, v, z
  implicit none
  private
  public :: set_faces, step_z, set_tide, time
  real(wp) :: time = 0  ! s

contains

  !> Water depths on the faces.
  subroutine set_faces(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        hu(i, j) = 0.5_wp*(depth(i, j) + depth(i + 1, j) + z(i, j) + z(i + 1, j))
        hv(i, j) = 0.5_wp*(depth(i, j) + depth(i, j + 1) + z(i, j) + z(i, j + 1))
      end do
    end do
  end subroutine

  !> dz/dt = -d(D u)/dx - d(D v)/dy
  subroutine step_z(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        before(i, j) = depth(i, j) + z(i, j)
        z(i, j) = mz(i, j)*(z(i, j) - dt*(hu(i, j)*u(i, j) - hu(i - 1, j)*u(i - 1, j) &
                                          + hv(i, j)*v(i, j) - hv(i, j - 1)*v(i, j - 1))/spacing)
      end do
    end do
  end subroutine

  !> The elevation of the first column of the grid.
  subroutine set_tide(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    z(i1:i2, j1:j2) = height*sin(2*pi*time/period)
  end subroutine
end module continuity
