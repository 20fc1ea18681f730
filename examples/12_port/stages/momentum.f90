!> Velocities: mixing from the old ones, then u with the old v, then v with the new u.
module momentum
  use parameters, only: coriolis, dt, friction, gravity, spacing, viscosity, wp
  use sea, only: du, dv, hu, hv, mu, mv, u, v, z
  implicit none
  private
  public :: mix_momentum, step_u, step_v

contains

  !> du = A (d2u/dx2 + d2u/dy2), and the same of v
  subroutine mix_momentum(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        du(i, j) = viscosity*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4*u(i, j))/spacing**2
        dv(i, j) = viscosity*(v(i - 1, j) + v(i + 1, j) + v(i, j - 1) + v(i, j + 1) - 4*v(i, j))/spacing**2
      end do
    end do
  end subroutine

  !> du/dt = f v - g dz/dx - r u |u| / D + du
  subroutine step_u(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    real(wp) :: across, drag

    do j = j1, j2
      do i = i1, i2
        across = 0.25_wp*(v(i, j) + v(i + 1, j) + v(i, j - 1) + v(i + 1, j - 1))
        drag = friction*sqrt(u(i, j)**2 + across**2)/hu(i, j)
        u(i, j) = mu(i, j)*(u(i, j) + dt*(coriolis*across - gravity*(z(i + 1, j) - z(i, j))/spacing &
                                          + du(i, j)))/(1 + dt*drag)
      end do
    end do
  end subroutine

  !> dv/dt = -f u - g dz/dy - r v |v| / D + dv
  subroutine step_v(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    real(wp) :: across, drag

    do j = j1, j2
      do i = i1, i2
        across = 0.25_wp*(u(i, j) + u(i - 1, j) + u(i, j + 1) + u(i - 1, j + 1))
        drag = friction*sqrt(v(i, j)**2 + across**2)/hv(i, j)
        v(i, j) = mv(i, j)*(v(i, j) - dt*(coriolis*across + gravity*(z(i, j + 1) - z(i, j))/spacing &
                                          - dv(i, j)))/(1 + dt*drag)
      end do
    end do
  end subroutine
end module momentum
