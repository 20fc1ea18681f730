! The D3Q19 lattice and the collision of the lattice model, operation for operation: models/lattice, collision.hpp.
module lattice
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: directions, velocities, opposite, weight, relaxation, make_relaxation, collide, equilibrium, chunk

  integer, parameter :: directions = 19, pairs = 9
  integer, parameter :: chunk = 128  ! cells of a row whose populations stay in the nearest cache

  ! Population q flies velocities(:, q) cells in a step; opposite ones lie next to each other.
  integer, parameter :: velocities(3, 0:18) = reshape([ &
      0, 0, 0,   1, 0, 0,  -1, 0, 0,   0, 1, 0,   0, -1, 0,   0, 0, 1,   0, 0, -1, &
      1, 1, 0,  -1, -1, 0,  1, -1, 0,  -1, 1, 0,  1, 0, 1,   -1, 0, -1,  1, 0, -1, &
      -1, 0, 1,  0, 1, 1,   0, -1, -1,  0, 1, -1,  0, -1, 1], [3, 19])

  ! Numbers of the collision; see the C++ header for their meaning.
  type :: relaxation
    real(real64) :: omega_plus, omega_minus
    real(real64) :: force(3), half(3)
    real(real64) :: share_0, share_axis, share_edge
    real(real64) :: along(pairs), odd(pairs)
    logical :: forced
  end type

  real(real64), parameter :: w_rest = 1.0_real64 / 3.0_real64, w_axis = 1.0_real64 / 18.0_real64, &
      w_edge = 1.0_real64 / 36.0_real64

contains

  ! The population that flies the other way.
  pure integer function opposite(q)
    integer, intent(in) :: q
    opposite = merge(q, merge(q + 1, q - 1, modulo(q, 2) == 1), q == 0)
  end function

  pure real(real64) function weight(q)
    integer, intent(in) :: q
    weight = merge(w_rest, merge(w_axis, w_edge, q < 7), q == 0)
  end function

  pure type(relaxation) function make_relaxation(tau, tau_minus, force) result(r)
    real(real64), intent(in) :: tau, tau_minus, force(3)
    real(real64) :: share, g
    integer :: p, a

    r%omega_plus = 1.0_real64 / tau
    r%omega_minus = 1.0_real64 / tau_minus
    r%force = force
    r%half = force / 2.0_real64
    r%forced = any(abs(force) > 0.0_real64)
    share = 1.0_real64 - r%omega_plus / 2.0_real64
    r%share_0 = share * w_rest
    r%share_axis = share * w_axis
    r%share_edge = share * w_edge
    do p = 1, pairs
      g = 0.0_real64
      do a = 1, 3
        g = g + real(velocities(a, 2 * p - 1), real64) * force(a)
      end do
      r%along(p) = g
      r%odd(p) = (((1.0_real64 - r%omega_minus / 2.0_real64) * 3.0_real64) * weight(2 * p - 1)) * g
    end do
  end function

  ! The populations of n cells after their collision, in their place.
  pure subroutine collide(r, n, f)
    type(relaxation), intent(in) :: r
    integer, intent(in) :: n
    real(real64), intent(inout) :: f(chunk, 0:18)
    real(real64) :: rho(chunk), ux(chunk), uy(chunk), uz(chunk), base(chunk), work(chunk)
    real(real64) :: inverse
    integer :: m

    do m = 1, n
      rho(m) = ((f(m, 0) + (((f(m, 1) + f(m, 2)) + (f(m, 3) + f(m, 4))) + (f(m, 5) + f(m, 6)))) &
          + (((f(m, 7) + f(m, 8)) + (f(m, 9) + f(m, 10))) + ((f(m, 11) + f(m, 12)) + (f(m, 13) + f(m, 14))))) &
          + ((f(m, 15) + f(m, 16)) + (f(m, 17) + f(m, 18)))
      ux(m) = (f(m, 1) - f(m, 2)) + (((f(m, 7) - f(m, 8)) + (f(m, 9) - f(m, 10))) &
          + ((f(m, 11) - f(m, 12)) + (f(m, 13) - f(m, 14))))
      uy(m) = (f(m, 3) - f(m, 4)) + (((f(m, 7) - f(m, 8)) - (f(m, 9) - f(m, 10))) &
          + ((f(m, 15) - f(m, 16)) + (f(m, 17) - f(m, 18))))
      uz(m) = (f(m, 5) - f(m, 6)) + (((f(m, 11) - f(m, 12)) - (f(m, 13) - f(m, 14))) &
          + ((f(m, 15) - f(m, 16)) - (f(m, 17) - f(m, 18))))
    end do
    if (r%forced) then
      ux(:n) = ux(:n) + r%half(1)
      uy(:n) = uy(:n) + r%half(2)
      uz(:n) = uz(:n) + r%half(3)
    end if
    do m = 1, n
      inverse = 1.0_real64 / rho(m)
      ux(m) = ux(m) * inverse
      uy(m) = uy(m) * inverse
      uz(m) = uz(m) * inverse
      base(m) = 1.0_real64 - 1.5_real64 * ((ux(m) * ux(m) + uy(m) * uy(m)) + uz(m) * uz(m))
      f(m, 0) = f(m, 0) - r%omega_plus * (f(m, 0) - (w_rest * rho(m)) * base(m))
    end do
    work(:n) = 0.0_real64
    if (r%forced) then
      do m = 1, n
        work(m) = 3.0_real64 * ((ux(m) * r%force(1) + uy(m) * r%force(2)) + uz(m) * r%force(3))
        f(m, 0) = f(m, 0) - r%share_0 * work(m)
      end do
    end if
    call relax(r, n, 1, w_axis, r%share_axis, rho, base, work, ux, f)
    call relax(r, n, 2, w_axis, r%share_axis, rho, base, work, uy, f)
    call relax(r, n, 3, w_axis, r%share_axis, rho, base, work, uz, f)
    call relax(r, n, 4, w_edge, r%share_edge, rho, base, work, ux(:n) + uy(:n), f)
    call relax(r, n, 5, w_edge, r%share_edge, rho, base, work, ux(:n) - uy(:n), f)
    call relax(r, n, 6, w_edge, r%share_edge, rho, base, work, ux(:n) + uz(:n), f)
    call relax(r, n, 7, w_edge, r%share_edge, rho, base, work, ux(:n) - uz(:n), f)
    call relax(r, n, 8, w_edge, r%share_edge, rho, base, work, uy(:n) + uz(:n), f)
    call relax(r, n, 9, w_edge, r%share_edge, rho, base, work, uy(:n) - uz(:n), f)
  end subroutine

  ! Pair p, whose velocity along the flow is e.
  pure subroutine relax(r, n, p, w, share, rho, base, work, e, f)
    type(relaxation), intent(in) :: r
    integer, intent(in) :: n, p
    real(real64), intent(in) :: w, share, rho(chunk), base(chunk), work(chunk), e(n)
    real(real64), intent(inout) :: f(chunk, 0:18)
    real(real64) :: ahead, behind, wr, plus, minus
    integer :: m

    do m = 1, n
      ahead = f(m, 2 * p - 1)
      behind = f(m, 2 * p)
      wr = w * rho(m)
      plus = r%omega_plus * (0.5_real64 * (ahead + behind) - wr * (base(m) + (4.5_real64 * e(m)) * e(m)))
      minus = r%omega_minus * (0.5_real64 * (ahead - behind) - wr * (3.0_real64 * e(m)))
      if (r%forced) then
        plus = plus - share * ((9.0_real64 * e(m)) * r%along(p) - work(m))
        minus = minus - r%odd(p)
      end if
      f(m, 2 * p - 1) = (ahead - plus) - minus
      f(m, 2 * p) = (behind - plus) + minus
    end do
  end subroutine

  ! Population q in equilibrium with a density and a velocity.
  pure real(real64) function equilibrium(q, rho, u)
    integer, intent(in) :: q
    real(real64), intent(in) :: rho, u(3)
    real(real64) :: e, base

    e = (real(velocities(1, q), real64) * u(1) + real(velocities(2, q), real64) * u(2)) &
        + real(velocities(3, q), real64) * u(3)
    base = 1.0_real64 - 1.5_real64 * ((u(1) * u(1) + u(2) * u(2)) + u(3) * u(3))
    equilibrium = (weight(q) * rho) * ((base + (4.5_real64 * e) * e) + 3.0_real64 * e)
  end function

end module
