! The tide of tide.cpp in Fortran, with the same bits: a rectangular sea, open to the west.
!   du/dt = f v - g dh/dx,   dv/dt = -f u - g dh/dy,   dh/dt = -D (du/dx + dv/dy)
!
! cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t tide_fortran
! mpiexec -n 2 ../build/tide_fortran
! prints: south-east corner -1.889753741572 m
module tide
  use, intrinsic :: iso_fortran_env, only: wp => real64
  use lapwing
  implicit none
  integer, parameter :: nx = 120, ny = 160
  real(wp), parameter :: spacing = 5000, depth = 60, gravity = 9.81_wp, coriolis = 1.2e-4_wp  ! m, m, m/s2, 1/s
  real(wp), parameter :: dt = 60, period = 44714, height = 1, pi = acos(-1.0_wp)              ! s, s, m: the tide M2
  real(wp), pointer :: u(:, :), v(:, :), h(:, :)
  real(wp) :: time = 0
contains
  subroutine momentum_x(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    associate (u => u, v => v, h => h)  ! loops over pointers themselves do not vectorise
      do concurrent (j = j1:j2, i = i1:i2)
        u(i, j) = u(i, j) + dt * (coriolis * (0.25_wp * (v(i, j) + v(i + 1, j) + v(i, j - 1) + v(i + 1, j - 1))) &
                                  - gravity * (h(i + 1, j) - h(i, j)) / spacing)
      end do
    end associate
  end subroutine
  subroutine momentum_y(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    associate (u => u, v => v, h => h)
      do concurrent (j = j1:j2, i = i1:i2)
        v(i, j) = v(i, j) - dt * (coriolis * (0.25_wp * (u(i, j) + u(i - 1, j) + u(i, j + 1) + u(i - 1, j + 1))) &
                                  + gravity * (h(i, j + 1) - h(i, j)) / spacing)
      end do
    end associate
  end subroutine
  subroutine continuity(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    associate (u => u, v => v, h => h)
      do concurrent (j = j1:j2, i = i1:i2)
        h(i, j) = h(i, j) - dt * depth * (u(i, j) - u(i - 1, j) + v(i, j) - v(i, j - 1)) / spacing
      end do
    end associate
  end subroutine
  subroutine west_side(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    h(i1:i2, j1:j2) = height * sin(2 * pi * time / period)
  end subroutine

  subroutine run_tide(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: of_u, of_v, of_h
    type(lapwing_step) :: step
    real(wp), allocatable :: levels(:, :)
    call domain%create(comm, [nx, ny])
    call of_u%declare(domain, 'u', location='xface')
    call of_v%declare(domain, 'v', location='yface')
    call of_h%declare(domain, 'h')
    call step%stage('momentum_x', momentum_x, [updates(of_u), reads(of_v, ahead('x'), behind('y')), &
                                               reads(of_h, ahead('x'))], on=[1, nx - 1, 1, ny])
    call step%stage('momentum_y', momentum_y, [updates(of_v), reads(of_u, behind('x'), ahead('y')), &
                                               reads(of_h, ahead('y'))], on=[1, nx, 1, ny - 1])
    call step%stage('continuity', continuity, [updates(of_h), reads(of_u, behind('x')), reads(of_v, behind('y'))])
    call step%stage('tide', west_side, [writes(of_h)], on=[1, 1, 1, ny])
    call step%create(domain, strategy='dataflow')
    call of_u%get(u)
    call of_v%get(v)
    call of_h%get(h)
    do while (time < 2 * period)
      call step%run(1)
      time = time + dt
    end do
    call of_h%gather(levels)
    if (domain%rank == 0) print '(a, f0.12, a)', 'south-east corner ', levels(nx, 1), ' m'
  end subroutine
end module tide

program main
  use tide, only: run_tide
  use lapwing, only: lapwing_run
  call lapwing_run(run_tide)
end program
