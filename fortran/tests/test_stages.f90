!> Steps that are created of all their stages at once, and steps that are begun, given stages and finished.
module test_stages
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_steps_in_parts, test_bad_parts, test_parts_of_several_models
  integer, parameter :: nx = 24, ny = 18, steps = 5
  character(*), parameter :: strategies(*) = [character(14) :: 'blocking', 'edge-first', 'dataflow', 'deep:2', &
                                                               'deep:2+tiled:3']
  character(*), parameter :: ways(*) = [character(8) :: 'declared', 'at once', 'in parts', 'mixed']
  real(real64), pointer :: a(:, :), b(:, :)
  type(lapwing_reduction) :: largest

  !> What a model gives its kernels.
  type :: sheet
    real(real64) :: share = 0.1_real64
  end type

contains

  subroutine there(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j

    associate (a => a, b => b)
      do j = j1, j2
        do i = i1, i2
          b(i, j) = a(i, j) + 0.1_real64 * (a(i - 1, j) - 2 * a(i, j) + a(i + 1, j))
        end do
      end do
    end associate
  end subroutine

  subroutine back(box, views)
    type(lapwing_box), intent(in) :: box
    type(lapwing_views), intent(in) :: views
    real(real64), pointer :: to(:, :), from(:, :)
    real(real64) :: share
    integer :: i, j

    call views%get(1, to)
    call views%get(2, from)
    share = 0
    select type (model => views%model)
    type is (sheet)
      share = model%share
    end select
    do j = box%j1, box%j2
      do i = box%i1, box%i2
        to(i, j) = from(i, j) + share * (from(i, j - 1) - 2 * from(i, j) + from(i, j + 1))
      end do
    end do
  end subroutine

  subroutine measure(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    call largest%raise_to(maxval(a(i1:i2, j1:j2)))
  end subroutine

  subroutine damp(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    a(i1:i2, j1:j2) = 0.5_real64 * a(i1:i2, j1:j2)
  end subroutine

  !> The values after a run of a step that was made in one of the ways: a loop, a part of the grid, and a number.
  subroutine run_sheet(comm, strategy, way, model, values)
    integer, intent(in) :: comm
    character(*), intent(in) :: strategy, way
    type(sheet), intent(inout), target :: model
    real(real64), allocatable, intent(out) :: values(:, :)
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b
    type(lapwing_step) :: step
    integer :: i, j

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    select case (way)
    case ('declared')
      call step%stage('there', there, [writes(field_b), reads(field_a, ahead('x'), behind('x'))])
      call step%stage_of_views('back', back, [writes(field_a), reads(field_b, ahead('y'), behind('y'))], model, &
                               repeats=2, times=3)
      call step%stage('damp', damp, [updates(field_a)], on=[1, nx / 2, 3, ny])
      call step%stage('measure', measure, [reads(field_a)], reduces=largest)
      call step%create(domain, strategy=strategy, transport='p2p')
    case ('at once')
      call step%create(domain, [stage('there', there, [writes(field_b), reads(field_a, ahead('x'), behind('x'))]), &
                                stage_of_views('back', back, [writes(field_a), reads(field_b, ahead('y'), behind('y'))], &
                                               model, repeats=2, times=3), &
                                stage('damp', damp, [updates(field_a)], on=[1, nx / 2, 3, ny]), &
                                stage('measure', measure, [reads(field_a)], reduces=largest)], &
                       strategy=strategy, transport='p2p')
    case ('in parts')
      call step%begin(domain, strategy=strategy, transport='p2p')
      call add_parts(step, field_a, field_b, model)
      call step%add(stage('measure', measure, [reads(field_a)], reduces=largest))
      call step%finish()
    case ('mixed')
      call step%begin(domain, strategy=strategy, transport='p2p')
      call step%stage('there', there, [writes(field_b), reads(field_a, ahead('x'), behind('x'))])
      call step%stage_of_views('back', back, [writes(field_a), reads(field_b, ahead('y'), behind('y'))], model, &
                               repeats=2, times=3)
      call step%add(stage('damp', damp, [updates(field_a)], on=[1, nx / 2, 3, ny]))
      call step%stage('measure', measure, [reads(field_a)], reduces=largest)
      call step%finish()
    end select
    call expect(step%strategy() == strategy, 'the strategy that a step was given when it was begun')
    call field_a%get(a)
    call field_b%get(b)
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        a(i, j) = sin(0.7_real64 * (3 * i + 5 * j))
      end do
    end do
    call field_a%modified()
    call step%run(steps)
    call field_a%gather(values)
    call domain%close()
  end subroutine

  !> Part of a model that knows its stages alone.
  subroutine add_parts(step, field_a, field_b, model)
    type(lapwing_step), intent(inout) :: step
    type(lapwing_field), intent(in) :: field_a, field_b
    type(sheet), intent(inout), target :: model
    type(lapwing_stage) :: parts(3)
    integer :: n

    parts(1) = stage('there', there, [writes(field_b), reads(field_a, ahead('x'), behind('x'))])
    parts(2) = stage_of_views('back', back, [writes(field_a), reads(field_b, ahead('y'), behind('y'))], model, repeats=2, &
                              times=3)
    parts(3) = stage('damp', damp, [updates(field_a)], on=[1, nx / 2, 3, ny])
    do n = 1, size(parts)
      call step%add(parts(n))
    end do
  end subroutine

  !> The bits do not depend on how a step was made.
  subroutine test_steps_in_parts(comm)
    integer, intent(in) :: comm
    type(sheet), target :: model
    real(real64), allocatable :: expected(:, :), values(:, :)
    real(real64) :: number
    integer :: n, m

    call largest%create('maximum')
    call run_sheet(comm, 'blocking', 'declared', model, expected)
    number = largest%value()
    call expect(number > 0, 'the number of a step is measured')
    do n = 1, size(strategies)
      do m = 1, size(ways)
        call run_sheet(comm, trim(strategies(n)), trim(ways(m)), model, values)
        if (size(values) > 0) call expect(all(values == expected), 'bits of a step made '//trim(ways(m))//' under '// &
                                          strategies(n))
        call expect(largest%value() == number, 'the number of a step made '//ways(m))
      end do
    end do
  end subroutine

  !> One stage in two steps: each keeps a copy.
  subroutine test_parts_of_several_models(comm)
    integer, intent(in) :: comm
    type(sheet), target :: model
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b
    type(lapwing_stage), allocatable :: both(:)
    type(lapwing_step) :: first, second
    real(real64), allocatable :: values(:, :)

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    both = [stage_of_views('there', back, [writes(field_b), reads(field_a, cross(1))], model), &
            stage_of_views('back', back, [writes(field_a), reads(field_b, cross(1))], model)]
    call first%create(domain, both)
    call second%create(domain, both, strategy='dataflow')
    deallocate (both)
    call field_a%get(a)
    a(domain%i1:domain%i2, domain%j1:domain%j2) = 3
    call field_a%modified()
    call first%run(2)
    call second%run(2)
    call field_a%gather(values)
    call expect(all(values == 3), 'a stage that two steps took')
    call domain%close()
  end subroutine

  subroutine test_bad_parts(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain, never
    type(lapwing_field) :: field
    type(lapwing_step) :: step, unfinished, uneven, at_once
    type(lapwing_stage) :: damping, nothing
    character(1000) :: errmsg
    integer :: stat

    call domain%create(comm, [nx, ny])
    call field%declare(domain, 'a')
    damping = stage('damp', damp, [updates(field)])
    call step%finish(stat, errmsg)
    call expect_error(stat, errmsg, 'step: got one that was never begun; expected call step%begin(domain)')
    call step%begin(never, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'call domain%create first')
    call step%begin(domain, stat=stat, errmsg=errmsg)
    call expect(stat == 0, 'a step is begun')
    call step%begin(domain, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'step: got one that was created before')
    call step%finish(stat, errmsg)
    call expect_error(stat, errmsg, 'step: got no stages; expected at least one stage; add a stage to the step')
    call step%run(1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'step: got one that was begun and not finished; expected call step%finish()')
    call step%add(damping, stat, errmsg)
    call expect(stat == 0, 'a stage is added after an error')
    call step%finish(stat, errmsg)
    call expect(stat == 0, 'a step that has a stage is finished')
    call field%get(a)
    call step%add(damping, stat, errmsg)
    call expect_error(stat, errmsg, 'step: got a stage after it was finished; expected all of them before')
    call step%finish(stat, errmsg)
    call expect_error(stat, errmsg, 'step: got one that was finished before')
    call step%run(1, stat=stat, errmsg=errmsg)
    call expect(stat == 0, 'refused stages leave a step as it was')
    call at_once%create(domain, [lapwing_stage ::], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'step: got no stages')
    call at_once%create(domain, [damping, nothing], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'stage without a name, kernel: got none; expected a stage that was made')
    call at_once%create(domain, [damping], strategy='sideways', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'sideways')
    call at_once%create(domain, [damping], stat=stat, errmsg=errmsg)
    call expect(stat == 0, 'a step that was refused is created again')
    call at_once%create(domain, [damping], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'step: got stages that were added before, and others to create it of')
    call unfinished%begin(domain, strategy='sideways')
    call unfinished%add(damping)
    call unfinished%finish(stat, errmsg)
    call expect_error(stat, errmsg, 'sideways')
    a(domain%i1:domain%i2, domain%j1:domain%j2) = 1
    call field%modified()
    call at_once%run(1)
    call expect(all(a(domain%i1:domain%i2, domain%j1:domain%j2) == 0.5_real64), 'a refused stage is in no step')
    ! an error of one rank is one of all
    call uneven%begin(domain)
    call uneven%add(damping)
    if (domain%rank == 0) call uneven%add(damping)
    call uneven%finish(stat, errmsg)
    call expect(stat == merge(0, 2, domain%ranks == 1), 'ranks with different stages all refuse')
    call domain%close()
  end subroutine
end module test_stages
