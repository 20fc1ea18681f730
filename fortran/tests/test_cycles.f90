!> Steps whose time levels rotate, and halos as wide as a number asks for: the bits of plain loops.
module test_cycles
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_rotating_levels, test_bad_positions, test_demand
  integer, parameter :: nx = 24, ny = 18, steps = 8
  type :: level
    real(real64), pointer :: values(:, :)
  end type
  type(level) :: levels(3)
  real(real64), pointer :: seen(:, :)
  type(lapwing_reduction) :: reach
  integer :: wanted = 1

contains

  subroutine leap(old, now, new, i1, i2, j1, j2)
    real(real64), pointer, intent(in) :: old(:, :), now(:, :), new(:, :)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        new(i, j) = old(i, j) - 0.2_real64 * (now(i + 1, j) - now(i - 1, j)) - 0.1_real64 * (now(i, j + 1) - now(i, j - 1))
      end do
    end do
  end subroutine

  subroutine to_third(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    call leap(levels(1)%values, levels(2)%values, levels(3)%values, i1, i2, j1, j2)
  end subroutine

  subroutine to_first(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    call leap(levels(2)%values, levels(3)%values, levels(1)%values, i1, i2, j1, j2)
  end subroutine

  subroutine to_second(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    call leap(levels(3)%values, levels(1)%values, levels(2)%values, i1, i2, j1, j2)
  end subroutine

  pure real(real64) function first_value(i, j, level)
    integer, intent(in) :: i, j, level

    first_value = sin(0.7_real64 * (3 * i + 5 * j) + 0.01_real64 * level)
  end function

  !> The newest level of loops over the whole grid, periodic along both axes.
  subroutine plain(values)
    real(real64), allocatable, intent(out) :: values(:, :)
    real(real64), pointer :: old(:, :), now(:, :), new(:, :), free(:, :)
    integer :: n, i, j

    allocate (old(0:nx + 1, 0:ny + 1), now(0:nx + 1, 0:ny + 1), new(0:nx + 1, 0:ny + 1))
    do j = 1, ny
      do i = 1, nx
        old(i, j) = first_value(i, j, 1)
        now(i, j) = first_value(i, j, 2)
      end do
    end do
    do n = 1, steps
      now(0, :) = now(nx, :)
      now(nx + 1, :) = now(1, :)
      now(:, 0) = now(:, ny)
      now(:, ny + 1) = now(:, 1)
      call leap(old, now, new, 1, nx, 1, ny)
      free => old
      old => now
      now => new
      new => free
    end do
    values = now(1:nx, 1:ny)
    deallocate (old, now, new)
  end subroutine

  subroutine test_rotating_levels(comm)
    integer, intent(in) :: comm
    character(*), parameter :: strategies(*) = [character(10) :: 'blocking', '6s', 'dataflow', 'deep:2']
    real(real64), allocatable :: expected(:, :)
    integer :: n

    call plain(expected)
    do n = 1, size(strategies)
      call run_leaps(comm, trim(strategies(n)), expected)
    end do
  end subroutine

  subroutine run_leaps(comm, strategy, expected)
    integer, intent(in) :: comm
    character(*), intent(in) :: strategy
    real(real64), intent(in) :: expected(:, :)
    type(lapwing_domain) :: domain
    type(lapwing_field) :: fields(3)
    type(lapwing_step) :: step
    real(real64), allocatable :: values(:, :)
    integer :: n, i, j

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    do n = 1, 3
      call fields(n)%declare(domain, 'level '//achar(iachar('0') + n))
    end do
    call step%stage('leap', to_third, [writes(fields(3)), reads(fields(1)), reads(fields(2), cross(1))])
    call step%stage('leap', to_first, [writes(fields(1)), reads(fields(2)), reads(fields(3), cross(1))], position=2)
    call step%stage('leap', to_second, [writes(fields(2)), reads(fields(3)), reads(fields(1), cross(1))], position=3)
    call step%create(domain, strategy=strategy)
    do n = 1, 3
      call fields(n)%get(levels(n)%values)
    end do
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        levels(1)%values(i, j) = first_value(i, j, 1)
        levels(2)%values(i, j) = first_value(i, j, 2)
      end do
    end do
    call fields(1)%modified()
    call fields(2)%modified()
    call step%run(3)
    call expect(step%position() == 1, 'after a cycle it begins again')
    call step%run(1)
    call expect(step%position() == 2, 'the position in the cycle')
    call step%restart_at(2)
    call step%run(steps - 4)
    ! eight steps from position 1 end with the second one, which writes level 1
    call fields(1)%gather(values)
    if (domain%rank == 0) call expect(all(values == expected), 'levels that rotate under '//strategy)
    call domain%close()
  end subroutine

  subroutine test_bad_positions(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_step) :: step
    character(1000) :: errmsg
    integer :: stat

    call domain%create(comm, [nx, ny])
    call field%declare(domain, 'a')
    call step%stage('leap', to_third, [writes(field)], position=3)
    call step%create(domain, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'position of stage leap: got 2; expected 0 or 1')
    call step%restart_at(1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'step: got null')
    call domain%close()
  end subroutine

  subroutine find_reach(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    if (i2 >= i1 .and. j2 >= j1) reach%partial = max(reach%partial, real(wanted, real64))
  end subroutine

  subroutine look(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    associate (a => levels(1)%values, n => wanted)
      seen(i1:i2, j1:j2) = a(i1 + n:i2 + n, j1:j2) + 2 * a(i1:i2, j1 - n:j2 - n)
    end associate
  end subroutine

  subroutine test_demand(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field, result
    type(lapwing_step) :: step
    character(1000) :: errmsg
    integer :: n, i, j, wrong, stat

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call field%declare(domain, 'a')
    call result%declare(domain, 'seen')
    call reach%create('maximum')
    call step%stage('find_reach', find_reach, [reads(field)], reduces=reach)
    call step%stage('look', look, [writes(result), as_wide_as(reads(field, around(4)), reach, [1, 2, 4])])
    call step%create(domain)
    call field%get(levels(1)%values)
    call result%get(seen)
    do n = 1, 4
      wanted = n
      do j = domain%j1, domain%j2
        do i = domain%i1, domain%i2
          levels(1)%values(i, j) = first_value(i, j, n)
        end do
      end do
      call field%modified()
      call step%run(1)
      call expect(reach%value() == n, 'the number that is asked for')
      wrong = 0
      do j = domain%j1, domain%j2
        do i = domain%i1, domain%i2
          if (seen(i, j) /= first_value(1 + modulo(i + n - 1, nx), j, n) + &
              2 * first_value(i, 1 + modulo(j - n - 1, ny), n)) wrong = wrong + 1
        end do
      end do
      call expect(wrong == 0, 'a halo as wide as a number asks for')
    end do
    call refused([2, 1], 'widths 2, 1')
    call refused([1, 2], 'widths 1, 2')
    call domain%close()
  contains
    subroutine refused(widths, words)
      integer, intent(in) :: widths(:)
      character(*), intent(in) :: words
      type(lapwing_step) :: bad

      call bad%stage('find_reach', find_reach, [reads(field)], reduces=reach)
      call bad%stage('look', look, [writes(result), as_wide_as(reads(field, around(4)), reach, widths)])
      call bad%create(domain, stat=stat, errmsg=errmsg)
      call expect_error(stat, errmsg, words)
    end subroutine
  end subroutine
end module test_cycles
