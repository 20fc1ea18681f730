!> What a run prints: the largest speed, and sums of bits by which runs are compared.
module diagnostics
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use mpi_calls, only: calls_max, calls_sum
  use parameters, only: wp
  use sea, only: c, u, v, z
  implicit none
  private
  public :: print_diagnostics

contains

  !> The cells 1..imax, 1..jmax are this rank's.
  subroutine print_diagnostics(rank, imax, jmax, seconds, steps)
    integer, intent(in) :: rank, imax, jmax, steps
    real(wp), intent(in) :: seconds
    real(wp) :: fastest, slowest_rank
    integer(c_int64_t) :: bits(4)

    fastest = sqrt(maxval(u(1:imax, 1:jmax)**2 + v(1:imax, 1:jmax)**2))
    call calls_max(fastest)
    slowest_rank = seconds
    call calls_max(slowest_rank)
    bits = [bits_of(u(1:imax, 1:jmax)), bits_of(v(1:imax, 1:jmax)), bits_of(z(1:imax, 1:jmax)), &
            bits_of(c(1:imax, 1:jmax))]
    if (rank > 0) return
    print '(a, f0.9, a)', 'largest speed ', fastest, ' m/s'
    print '(a, 4(1x, z16.16))', 'bits of u, v, z, c', bits
    print '(f0.2, a)', 1e6_wp*slowest_rank/steps, ' us per step'
  end subroutine

  !> A sum of all bit patterns: the same on any number of ranks.
  integer(c_int64_t) function bits_of(a)
    real(wp), intent(in) :: a(:, :)
    integer :: i, j

    bits_of = 0
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        bits_of = bits_of + ishft(transfer(a(i, j), bits_of), -16) + iand(transfer(a(i, j), bits_of), 65535_c_int64_t)
      end do
    end do
    call calls_sum(bits_of)
  end function
end module diagnostics
