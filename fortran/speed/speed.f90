!> The cost of the Fortran interface: exchanges called from Fortran and from C++, of fields and of arrays that come and
!> go, and a tide whose kernels are in either, alternating in one process; the tides must agree bit by bit. And kernels
!> that get three arrays, compared with kernels that know them. Argument: the number of samples (51), of 1000 exchanges,
!> or of 200, 20 or 10000 steps.
module speed
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use lapwing
  implicit none
  private
  public :: run
  integer, parameter :: wp = real64
  real(wp), parameter :: spacing = 5000, depth = 60, gravity = 9.81_wp, coriolis = 1.2e-4_wp, dt = 60
  real(wp), pointer :: u(:, :), v(:, :), h(:, :)

  type :: values_of_a_field
    real(wp), allocatable :: v(:, :)
  end type

  interface
    function direct_tide(comm, nx, ny) bind(C) result(tide)
      import :: c_int, c_ptr
      integer(c_int), value :: comm, nx, ny
      type(c_ptr) :: tide
    end function
    subroutine direct_steps(tide, steps) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: tide
      integer(c_int), value :: steps
    end subroutine
    subroutine direct_levels(tide, values) bind(C)
      import :: c_double, c_ptr
      type(c_ptr), value :: tide
      real(c_double), intent(out) :: values(*)
    end subroutine
    function direct_halos(comm, n, number, width) bind(C) result(halos)
      import :: c_int, c_ptr
      integer(c_int), value :: comm, n, number, width
      type(c_ptr) :: halos
    end function
    subroutine direct_exchanges(halos, times) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: halos
      integer(c_int), value :: times
    end subroutine
    subroutine direct_exchanges_of_arrays(halos, times) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: halos
      integer(c_int), value :: times
    end subroutine
  end interface

contains

  subroutine momentum_x(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    associate (u => u, v => v, h => h)
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

  real(wp) function now()
    integer(int64) :: count, rate

    call system_clock(count, rate)
    now = real(count, wp) / real(rate, wp)
  end function

  subroutine run(comm)
    integer, intent(in) :: comm
    integer :: samples, status
    character(20) :: argument

    call get_command_argument(1, argument)
    samples = 51
    if (len_trim(argument) > 0) read (argument, *, iostat=status) samples
    call time_exchanges(comm, samples, 16, 1, 1)
    call time_exchanges(comm, samples, 128, 3, 2)
    call time_tide(comm, samples, 128, 128, 200)
    call time_tide(comm, samples, 512, 512, 20)
    call time_kernels(comm, samples, 10000)
  end subroutine

  !> Exchanges of `number` arrays of n x n cells: of fields and of arrays that come and go, from Fortran and from C++.
  subroutine time_exchanges(comm, samples, n, number, width)
    integer, intent(in) :: comm, samples, n, number, width
    integer, parameter :: times = 1000
    type(c_ptr) :: halos
    type(lapwing_domain) :: domain
    type(lapwing_field) :: fields(number), declared(number)
    type(lapwing_exchange) :: exchange, of_arrays
    type(values_of_a_field), target :: a(number, 0:2)
    real(wp) :: fortran(samples), direct(samples), fortran_arrays(samples), direct_arrays(samples), began
    character(60) :: name
    integer :: s, m, f

    call domain%create(comm, [n, n], periodic=[.true., .true.])
    do f = 1, number
      do m = 0, 2
        allocate (a(f, m)%v(domain%i1 - width:domain%i2 + width, domain%j1 - width:domain%j2 + width), source=1.0_wp)
      end do
      call fields(f)%wrap(domain, 'a', a(f, 0)%v)
      call declared(f)%declare(domain, 'a', axes='xy', halo=around(width))
    end do
    call exchange%create(domain, fields)
    call of_arrays%create_for_arrays(domain, declared, transport=exchange%transport())
    halos = direct_halos(comm, n, number, width)
    do s = 0, samples  ! the first is not counted
      began = now()
      do m = 1, times
        call exchange%run()
      end do
      if (s > 0) fortran(s) = (now() - began) / times
      began = now()
      call direct_exchanges(halos, times)
      if (s > 0) direct(s) = (now() - began) / times
      began = now()
      do m = 1, times
        do f = 1, number
          call of_arrays%take(f, a(f, 1 + mod(m, 2))%v)
        end do
        call of_arrays%run()
      end do
      if (s > 0) fortran_arrays(s) = (now() - began) / times
      began = now()
      call direct_exchanges_of_arrays(halos, times)
      if (s > 0) direct_arrays(s) = (now() - began) / times
    end do
    if (domain%rank == 0) then
      write (name, '(a, i0, a, i0, a, i0, 2a)') 'exchange of ', number, ' arrays of ', n, ' x ', n, ' cells by ', &
        exchange%transport()
      print '(a)', trim(name)
      call report('Fortran', fortran, 'C++', direct)
      call report('C++ arrays that come and go', direct_arrays, 'C++ fields', direct)
      call report('Fortran arrays that come and go', fortran_arrays, 'Fortran fields', fortran)
    end if
    call domain%close()
  end subroutine

  subroutine time_tide(comm, samples, nx, ny, steps)
    integer, intent(in) :: comm, samples, nx, ny, steps
    type(lapwing_domain) :: domain
    type(lapwing_field) :: fields(3)
    type(lapwing_step) :: step
    type(c_ptr) :: tide
    real(wp) :: fortran(samples), direct(samples), began
    real(wp), allocatable :: levels(:, :), others(:, :)
    character(40) :: name
    integer :: s, i, j

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call fields(1)%declare(domain, 'u', location='xface')
    call fields(2)%declare(domain, 'v', location='yface')
    call fields(3)%declare(domain, 'h')
    call step%stage('momentum_x', momentum_x, [updates(fields(1)), reads(fields(2), ahead('x'), behind('y')), &
                                               reads(fields(3), ahead('x'))])
    call step%stage('momentum_y', momentum_y, [updates(fields(2)), reads(fields(1), behind('x'), ahead('y')), &
                                               reads(fields(3), ahead('y'))])
    call step%stage('continuity', continuity, [updates(fields(3)), reads(fields(1), behind('x')), &
                                               reads(fields(2), behind('y'))])
    call step%create(domain)
    call fields(1)%get(u)
    call fields(2)%get(v)
    call fields(3)%get(h)
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        h(i, j) = 0.001_wp * mod(7 * (i - 1) + 3 * (j - 1), 1000)
      end do
    end do
    call fields(3)%modified()
    tide = direct_tide(comm, nx, ny)
    do s = 0, samples
      began = now()
      call step%run(steps)
      if (s > 0) fortran(s) = (now() - began) / steps
      began = now()
      call direct_steps(tide, steps)
      if (s > 0) direct(s) = (now() - began) / steps
    end do
    call fields(3)%gather(levels)
    allocate (others(size(levels, 1), size(levels, 2)))
    call direct_levels(tide, others)
    if (any(levels /= others)) error stop 'the tides of Fortran and C++ differ'
    write (name, '(a, i0, a, i0, a)') 'tide of ', nx, ' x ', ny, ' cells, one step'
    if (domain%rank == 0) then
      print '(a)', trim(name)
      call report('Fortran', fortran, 'C++', direct)
    end if
    call domain%close()
  end subroutine

  subroutine known(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    call add_up(u, v, h, lbound(u), lbound(v), lbound(h), i1, i2, j1, j2)
  end subroutine

  subroutine got(box, views)
    type(lapwing_box), intent(in) :: box
    type(lapwing_views), intent(in) :: views
    real(wp), pointer :: x(:, :), y(:, :), z(:, :)

    call views%get(1, x)
    call views%get(2, y)
    call views%get(3, z)
    call add_up(x, y, z, lbound(x), lbound(y), lbound(z), box%i1, box%i2, box%j1, box%j2)
  end subroutine

  subroutine add_up(x, y, z, of_x, of_y, of_z, i1, i2, j1, j2)
    integer, intent(in) :: of_x(2), of_y(2), of_z(2), i1, i2, j1, j2
    real(wp), intent(inout) :: x(of_x(1):, of_x(2):)
    real(wp), intent(in) :: y(of_y(1):, of_y(2):), z(of_z(1):, of_z(2):)
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        x(i, j) = y(i, j) + z(i, j)
      end do
    end do
  end subroutine

  !> Kernels on a few cells, so that the call takes most of the time: of module arrays, and of arrays that come.
  subroutine time_kernels(comm, samples, steps)
    integer, intent(in) :: comm, samples, steps
    type(lapwing_domain) :: domain
    type(lapwing_field) :: fields(3)
    type(lapwing_step) :: of_known, of_got
    type(lapwing_use) :: uses(3)
    real(wp) :: before(samples), after(samples), began
    integer :: s

    call domain%create(comm, [8, 2])
    call fields(1)%declare(domain, 'x')
    call fields(2)%declare(domain, 'y')
    call fields(3)%declare(domain, 'z')
    uses = [writes(fields(1)), reads(fields(2)), reads(fields(3))]
    call of_known%create(domain, [stage('known', known, uses)])
    call of_got%create(domain, [stage_of_views('got', got, uses)])
    call fields(1)%get(u)
    call fields(2)%get(v)
    call fields(3)%get(h)
    v = 1
    h = 2
    call fields(2)%modified()
    call fields(3)%modified()
    do s = 0, samples
      began = now()
      call of_known%run(steps)
      if (s > 0) before(s) = (now() - began) / steps
      began = now()
      call of_got%run(steps)
      if (s > 0) after(s) = (now() - began) / steps
    end do
    if (any(u(domain%i1:domain%i2, domain%j1:domain%j2) < 3)) error stop 'a kernel did not add up'
    if (domain%rank == 0) then
      print '(a)', 'a kernel of three arrays on 8 x 2 cells of all ranks, one step'
      call report('Fortran that gets its arrays', after, 'that knows them', before)
    end if
    call domain%close()
  end subroutine

  subroutine report(name, times, other_name, other)
    character(*), intent(in) :: name, other_name
    real(wp), intent(in) :: times(:), other(:)

    print '(2a, f0.3, 3a, f0.3, a)', '  '//name, ' ', 1e6_wp * median(times), ' us   ', other_name, ' ', &
      1e6_wp * median(other), ' us'
    print '(a, 3f7.3, a, 3f8.3, a)', '    of pairs: ratio, quartiles', quartiles(times / other), &
      '; difference, quartiles', 1e6_wp * quartiles(times - other), ' us'
  end subroutine

  pure real(wp) function median(values)
    real(wp), intent(in) :: values(:)
    real(wp) :: three(3)

    three = quartiles(values)
    median = three(2)
  end function

  pure function quartiles(values) result(three)
    real(wp), intent(in) :: values(:)
    real(wp) :: three(3), sorted(size(values)), next
    integer :: n, m

    sorted = values
    do n = 2, size(sorted)
      next = sorted(n)
      m = n - 1
      do while (m > 0)
        if (sorted(m) <= next) exit
        sorted(m + 1) = sorted(m)
        m = m - 1
      end do
      sorted(m + 1) = next
    end do
    three = [sorted((size(sorted) + 3) / 4), sorted((size(sorted) + 1) / 2), sorted((3 * size(sorted) + 1) / 4)]
  end function
end module speed

program main
  use lapwing, only: lapwing_run
  use speed, only: run
  implicit none

  call lapwing_run(run)
end program
