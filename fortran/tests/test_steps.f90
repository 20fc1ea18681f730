!> Steps of Fortran kernels: the bits of plain loops under every strategy, reductions, loops, and what checking finds.
module test_steps
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_quiet_nan, ieee_value
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_strategies, test_numbers, test_check_finds_what_is_not_declared, test_region_and_work, test_three_axes
  public :: test_one_long_axis, test_threads, test_numbers_of_steps
  integer, parameter :: nx = 24, ny = 18, steps = 6
  real(real64), pointer :: a(:, :), b(:, :), c(:, :, :)
  type(lapwing_reduction) :: largest
  integer :: works = 0, now = 0

contains

  subroutine there(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    call spread_heat(a, b, lbound(a), lbound(b), i1, i2, j1, j2)
  end subroutine

  subroutine back(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    call spread_heat(b, a, lbound(b), lbound(a), i1, i2, j1, j2)
  end subroutine

  subroutine spread_heat(from, to, first, begin, i1, i2, j1, j2)
    integer, intent(in) :: first(2), begin(2), i1, i2, j1, j2
    real(real64), intent(in) :: from(first(1):, first(2):)
    real(real64), intent(inout) :: to(begin(1):, begin(2):)
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        to(i, j) = from(i, j) + 0.2_real64 * (from(i - 1, j) + from(i + 1, j) - 2 * from(i, j)) &
                   + 0.1_real64 * (from(i, j - 1) + from(i, j + 1) - 2 * from(i, j))
      end do
    end do
  end subroutine

  pure real(real64) function first_value(i, j)
    integer, intent(in) :: i, j

    first_value = sin(0.7_real64 * (3 * i + 5 * j))
  end function

  !> The results of loops over a whole grid of nx x ny cells, periodic along both axes.
  subroutine plain(nx, ny, values)
    integer, intent(in) :: nx, ny
    real(real64), allocatable, intent(out) :: values(:, :)
    real(real64), allocatable :: from(:, :), to(:, :)
    integer :: n, i, j

    allocate (from(0:nx + 1, 0:ny + 1), to(0:nx + 1, 0:ny + 1))
    do j = 1, ny
      do i = 1, nx
        from(i, j) = first_value(i, j)
      end do
    end do
    do n = 1, 2 * steps
      from(0, :) = from(nx, :)
      from(nx + 1, :) = from(1, :)
      from(:, 0) = from(:, ny)
      from(:, ny + 1) = from(:, 1)
      call spread_heat(from, to, [0, 0], [0, 0], 1, nx, 1, ny)
      from = to
    end do
    values = from(1:nx, 1:ny)
  end subroutine

  subroutine test_strategies(comm)
    integer, intent(in) :: comm
    character(*), parameter :: strategies(*) = [character(12) :: 'blocking', 'edge-first', '3s', '6s', 'dataflow', &
                                                                 'deep:2', 'deep:2+tiled']
    real(real64), allocatable :: expected(:, :), values(:, :)
    integer :: n

    call plain(nx, ny, expected)
    do n = 1, size(strategies)
      call run_heat(comm, [nx, ny], trim(strategies(n)), values)
      if (size(values) > 0) call expect(all(values == expected), 'bits of plain loops under '//strategies(n))
    end do
  end subroutine

  !> Threads give the bits of one, and more of them than a rank has cores are refused.
  subroutine test_threads(comm)
    integer, intent(in) :: comm
    character(*), parameter :: strategies(*) = [character(14) :: 'blocking', 'dataflow', 'deep:2+tiled:3']
    real(real64), allocatable :: expected(:, :), values(:, :)
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_step) :: step, crowded
    integer :: n, threads, stat
    character(300) :: errmsg

    call domain%create(comm, [nx, ny])
    call field%declare(domain, 'a')
    call crowded%stage('count', count_step, [updates(field)])
    call crowded%create(domain, threads=huge(1), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'threads of a rank: got 2147483647')
    call step%stage('count', count_step, [updates(field)])
    call step%create(domain, threads=2, stat=stat, errmsg=errmsg)
    threads = merge(2, 1, stat == 0)
    if (threads == 1) call expect_error(stat, errmsg, 'expected 1 to 1, the cores')
    call plain(nx, ny, expected)
    do n = 1, size(strategies)
      call run_heat(comm, [nx, ny], trim(strategies(n)), values, threads)
      if (size(values) > 0) call expect(all(values == expected), 'bits of plain loops with threads under '//strategies(n))
    end do
    call domain%close()
  end subroutine

  subroutine count_step(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    a(i1:i2, j1:j2) = 2 * a(i1:i2, j1:j2) + now
  end subroutine

  subroutine set_now(number)
    integer, intent(in) :: number

    now = number
  end subroutine

  !> Kernels find the numbers of their own step, in tiles that go through several steps too.
  subroutine test_numbers_of_steps(comm)
    integer, intent(in) :: comm
    character(*), parameter :: strategies(*) = [character(14) :: 'blocking', 'deep:2+tiled:3']
    real(real64), allocatable :: values(:, :)
    integer :: n

    do n = 1, size(strategies)
      block
        type(lapwing_domain) :: domain
        type(lapwing_field) :: field
        type(lapwing_step) :: step

        call domain%create(comm, [nx, ny])
        call field%declare(domain, 'a')
        call step%stage('count', count_step, [updates(field)])
        call step%create(domain, strategy=trim(strategies(n)))
        call field%get(a)
        call step%run(4, set_now)
        call step%run(1, set_numbers=set_now)  ! from 1 again
        call field%gather(values)
        if (size(values) > 0) call expect(all(values == 53), 'numbers of steps under '//strategies(n))
        call domain%close()
      end block
    end do
  end subroutine

  !> A grid with one cell along an axis: that cell is its own neighbour there, as cross reads along both.
  subroutine test_one_long_axis(comm)
    integer, intent(in) :: comm
    integer, parameter :: sizes(2, 2) = reshape([11, 1, 1, 11], [2, 2])
    real(real64), allocatable :: expected(:, :), values(:, :)
    integer :: n

    do n = 1, 2
      call plain(sizes(1, n), sizes(2, n), expected)
      call run_heat(comm, sizes(:, n), 'edge-first', values)
      if (size(values) > 0) call expect(all(values == expected), 'neighbours on a grid with one long axis')
    end do
  end subroutine

  subroutine run_heat(comm, cells, strategy, values, threads)
    integer, intent(in) :: comm, cells(2)
    character(*), intent(in) :: strategy
    real(real64), allocatable, intent(out) :: values(:, :)
    integer, intent(in), optional :: threads
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b
    type(lapwing_step) :: step
    type(lapwing_costs) :: costs
    integer :: i, j

    call domain%create(comm, cells, periodic=[.true., .true.])
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    call step%stage('there', there, [writes(field_b), reads(field_a, cross(1))])
    call step%stage('back', back, [writes(field_a), reads(field_b, cross(1))])
    call step%create(domain, strategy=strategy, threads=threads)
    call field_a%get(a)
    call field_b%get(b)
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        a(i, j) = first_value(i, j)
      end do
    end do
    call field_a%modified()
    call step%run(steps)
    call expect(step%strategy() == strategy, 'the name of strategy '//strategy)
    call expect(index(step%describe(), 'there') > 0, 'a step describes its stages')
    costs = step%costs()
    call expect(costs%steps == steps, 'steps are counted')
    call expect(costs%messages > 0 .or. domain%ranks == 1, 'messages are counted')
    call field_a%gather(values)
    call domain%close()
  end subroutine

  subroutine find_largest(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        call largest%raise_to(a(i, j))
      end do
    end do
  end subroutine

  subroutine halve(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    a(i1:i2, j1:j2) = 0.5_real64 * a(i1:i2, j1:j2)
  end subroutine

  subroutine test_numbers(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_step) :: step
    real(real64), allocatable, target :: mine(:, :)

    call domain%create(comm, [nx, ny])
    allocate (mine(domain%i1:domain%i2, domain%j1:domain%j2), source=1.0_real64)
    if (domain%rank == domain%ranks - 1) mine = 8
    a => mine
    call field%wrap(domain, 'a', mine)
    call largest%create('maximum')
    ! 8, 4, 2, 1: halved until nothing is above 1
    call step%stage('halve', halve, [updates(field)])
    call step%stage('find_largest', find_largest, [reads(field)], reduces=largest, repeats=2, &
                    while_above=1.0_real64)
    call step%create(domain)
    call step%run(1)
    call expect(largest%value() == 1, 'a loop goes on until a number of all ranks allows')
    call expect(maxval(mine) == merge(1.0_real64, 0.125_real64, domain%rank == domain%ranks - 1), &
                'all ranks ran the loop as often')
    if (domain%rank == 0) mine(domain%i1, domain%j1) = ieee_value(1.0_real64, ieee_quiet_nan)
    call field%modified()
    call step%run(1)
    call expect(ieee_is_nan(largest%value()), 'what one cell has lost is lost on all ranks')
    call domain%close()
  end subroutine

  subroutine set_one(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    a(i1:i2, j1:j2) = 1
  end subroutine

  subroutine count_work()
    works = works + 1
  end subroutine

  subroutine test_region_and_work(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_step) :: step
    real(real64), allocatable :: values(:, :)

    works = 0
    call domain%create(comm, [nx, ny], numbering='local')
    call field%declare(domain, 'a')
    call step%stage('set', set_one, [writes(field)], on=[3, 5, 2, 18], then=count_work)
    call step%create(domain)
    call field%get(a)
    call step%run(2)
    call expect(works == 2, 'all ranks work together after each stage')
    call field%gather(values)
    if (domain%rank == 0) then
      call expect(nint(sum(values)) == 3 * 17, 'a stage computes its region')
      call expect(values(3, 2) == 1 .and. values(5, 18) == 1, 'a region counts from 1, both ends included')
    end if
    call domain%close()
  end subroutine

  subroutine set_layer(i1, i2, j1, j2, k1, k2)
    integer, intent(in) :: i1, i2, j1, j2, k1, k2

    c(i1:i2, j1:j2, k1:k2) = c(i1:i2, j1:j2, k1:k2) + 1
  end subroutine

  subroutine test_three_axes(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_step) :: step
    real(real64), allocatable :: values(:, :, :)

    call domain%create(comm, [6, 6, 12])
    call field%declare(domain, 'c')
    call step%stage_of_3d('set', set_layer, [updates(field)], on=[1, 6, 1, 6, 4, 7])
    call step%create(domain)
    call field%get(c)
    call step%run(3)
    call field%gather(values)
    if (domain%rank == 0) then
      call expect(all(values(:, :, 4:7) == 3) .and. nint(sum(values)) == 6 * 6 * 4 * 3, 'a kernel of three axes')
    end if
    call domain%close()
  end subroutine

  subroutine test_check_finds_what_is_not_declared(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b
    type(lapwing_step) :: step
    character(1000) :: errmsg
    integer :: stat

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call field_a%declare(domain, 'a', halo=around(1))
    call field_b%declare(domain, 'b')
    call step%stage('there', there, [writes(field_b), reads(field_a, ahead('x'))])
    call step%create(domain)
    call field_a%get(a)
    call field_b%get(b)
    call step%check()
    call step%run(1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'there')
    call domain%close()
  end subroutine
end module test_steps
