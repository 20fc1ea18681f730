! Upwind advection of a blob on a periodic sheet by a wind that shears.
module advection
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none
  integer, parameter :: nx = 200, ny = 120
  real(real64), pointer :: a(:, :), b(:, :), wind(:, :)
contains
  subroutine there(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    call advect(a, b, wind, i1, i2, j1, j2)
  end subroutine

  subroutine back(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    call advect(b, a, wind, i1, i2, j1, j2)
  end subroutine

  subroutine advect(old, new, w, i1, i2, j1, j2)
    real(real64), pointer, intent(in) :: old(:, :), new(:, :), w(:, :)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    real(real64) :: along
    associate (c => old, next => new, w => w)
      do j = j1, j2
        do i = i1, i2
          if (w(i, j) > 0) then
            along = c(i, j) - c(i - 1, j)
          else
            along = c(i + 1, j) - c(i, j)
          end if
          next(i, j) = c(i, j) - 0.4_real64 * w(i, j) * along - 0.2_real64 * (c(i, j) - c(i, j - 1))
        end do
      end do
    end associate
  end subroutine

  subroutine run(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b, field_wind
    type(lapwing_step) :: step
    real(real64), allocatable :: values(:, :)
    real(real64), parameter :: pi = acos(-1.0_real64)
    integer :: i, j

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    call field_wind%declare(domain, 'wind')
    call step%stage('there', there, &
      [writes(field_b), reads(field_a, behind('x'), ahead('x'), behind('y')), reads(field_wind)])
    call step%stage('back', back, &
      [writes(field_a), reads(field_b, behind('x'), ahead('x'), behind('y')), reads(field_wind)])
    call step%create(domain, strategy='dataflow')

    call field_a%get(a)
    call field_b%get(b)
    call field_wind%get(wind)
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        a(i, j) = exp(-0.01_real64 * ((i - 60)**2 + (j - 40)**2))
        wind(i, j) = cos(2 * pi * j / ny)
      end do
    end do
    call field_a%modified()
    call field_wind%modified()
    call step%run(150)

    call field_a%gather(values)
    if (domain%rank == 0) print '(a, f0.12, a, f0.12)', 'sum ', sum(values), ' peak ', maxval(values)
  end subroutine
end module advection

program main
  use advection, only: run
  use lapwing, only: lapwing_run
  call lapwing_run(run)
end program
