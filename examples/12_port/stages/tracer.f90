!> A tracer that the water carries, by upwind fluxes.
module tracer
  use parameters, only: dt, spacing, wp
  use sea, only: before, c, depth, fx, fy, hu, hv, mz, u, v, z
  implicit none
  private
  public :: set_fluxes, step_c

contains

  !> What flows through the east and the north faces.
  subroutine set_fluxes(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        fx(i, j) = hu(i, j)*(max(u(i, j), 0.0_wp)*c(i, j) + min(u(i, j), 0.0_wp)*c(i + 1, j))
        fy(i, j) = hv(i, j)*(max(v(i, j), 0.0_wp)*c(i, j) + min(v(i, j), 0.0_wp)*c(i, j + 1))
      end do
    end do
  end subroutine

  !> d(D c)/dt = -dfx/dx - dfy/dy
  subroutine step_c(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        c(i, j) = mz(i, j)*(c(i, j)*before(i, j) - dt*(fx(i, j) - fx(i - 1, j) + fy(i, j) - fy(i, j - 1))/spacing) &
                  /(depth(i, j) + z(i, j))
      end do
    end do
  end subroutine
end module tracer
