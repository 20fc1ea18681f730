! The tide of ../tide.cpp in Fortran, with the same bits: a rectangular sea, open to the west, on any number of ranks.
!   du/dt = f v - g dh/dx,   dv/dt = -f u - g dh/dy,   dh/dt = -D (du/dx + dv/dy)
module tide
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none
  integer, parameter :: nx = 120, ny = 160, wp = real64
  real(wp), parameter :: spacing = 5000, depth = 60, gravity = 9.81_wp, coriolis = 1.2e-4_wp  ! m, m, m/s2, 1/s
  real(wp), parameter :: dt = 60, period = 44714, height = 1, pi = acos(-1.0_wp)              ! s, s, m: the tide M2
  real(wp), pointer :: u(:, :), v(:, :), h(:, :)
  real(wp) :: time = 0
contains
  subroutine momentum_x(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    associate (u => u, v => v, h => h)  ! loops over pointers themselves do not vectorise
      do j = j1, j2
        do i = i1, i2
          u(i, j) = u(i, j) + dt * (coriolis * (0.25_wp * (v(i, j) + v(i + 1, j) + v(i, j - 1) + v(i + 1, j - 1))) &
                                    - gravity * (h(i + 1, j) - h(i, j)) / spacing)
        end do
      end do
    end associate
  end subroutine

  subroutine momentum_y(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    associate (u => u, v => v, h => h)
      do j = j1, j2
        do i = i1, i2
          v(i, j) = v(i, j) - dt * (coriolis * (0.25_wp * (u(i, j) + u(i - 1, j) + u(i, j + 1) + u(i - 1, j + 1))) &
                                    + gravity * (h(i, j + 1) - h(i, j)) / spacing)
        end do
      end do
    end associate
  end subroutine

  subroutine continuity(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    associate (u => u, v => v, h => h)
      do j = j1, j2
        do i = i1, i2
          h(i, j) = h(i, j) - dt * depth * (u(i, j) - u(i - 1, j) + v(i, j) - v(i, j - 1)) / spacing
        end do
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
    type(lapwing_field) :: u_field, v_field, h_field
    type(lapwing_step) :: step
    real(wp), allocatable :: levels(:, :)

    call domain%create(comm, [nx, ny])
    call u_field%declare(domain, 'u', location='xface')
    call v_field%declare(domain, 'v', location='yface')
    call h_field%declare(domain, 'h')
    call step%stage('momentum_x', momentum_x, [updates(u_field), reads(v_field, ahead('x'), behind('y')), &
                                               reads(h_field, ahead('x'))], on=[1, nx - 1, 1, ny])
    call step%stage('momentum_y', momentum_y, [updates(v_field), reads(u_field, behind('x'), ahead('y')), &
                                               reads(h_field, ahead('y'))], on=[1, nx, 1, ny - 1])
    call step%stage('continuity', continuity, [updates(h_field), reads(u_field, behind('x')), &
                                               reads(v_field, behind('y'))])
    call step%stage('tide', west_side, [writes(h_field)], on=[1, 1, 1, ny])
    call step%create(domain, strategy='dataflow')
    call u_field%get(u)
    call v_field%get(v)
    call h_field%get(h)
    do while (time < 2 * period)
      call step%run(1)
      time = time + dt
    end do
    call h_field%gather(levels)
    if (domain%rank == 0) print '(a, f0.12, a)', 'south-east corner ', levels(nx, 1), ' m'
  end subroutine
end module tide

program main
  use tide, only: run_tide
  use lapwing, only: lapwing_run
  call lapwing_run(run_tide)
end program
