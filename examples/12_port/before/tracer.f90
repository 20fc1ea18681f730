!> A tracer that the water carries, by upwind fluxes.
module tracer
  use domain, only: imax, jmax
  use halo_exchange, only: update_halo, wait_halo
  use parameters, only: dt, spacing, wp
  use sea, only: before, c, depth, fx, fy, hu, hv, mz, u, v, z
  implicit none
  private
  public :: set_fluxes, step_c

contains

  !> What flows through the east and the north faces.
  subroutine set_fluxes()
    integer :: i, j

    call wait_halo(c, 6)
    do j = 1, jmax
      do i = 1, imax
        fx(i, j) = hu(i, j)*(max(u(i, j), 0.0_wp)*c(i, j) + min(u(i, j), 0.0_wp)*c(i + 1, j))
        fy(i, j) = hv(i, j)*(max(v(i, j), 0.0_wp)*c(i, j) + min(v(i, j), 0.0_wp)*c(i, j + 1))
      end do
    end do
    call update_halo(fx, 7)
    call update_halo(fy, 8)
  end subroutine

  !> d(D c)/dt = -dfx/dx - dfy/dy
  subroutine step_c()
    integer :: i, j

    call wait_halo(fx, 7)
    call wait_halo(fy, 8)
    do j = 1, jmax
      do i = 1, imax
        c(i, j) = mz(i, j)*(c(i, j)*before(i, j) - dt*(fx(i, j) - fx(i - 1, j) + fy(i, j) - fy(i, j - 1))/spacing) &
                  /(depth(i, j) + z(i, j))
      end do
    end do
    call update_halo(c, 6)
  end subroutine
end module tracer
