!> Kernels that get their arrays and the model, loops of known length, rims, and fields that are scattered.
module test_views
  use, intrinsic :: iso_c_binding, only: c_bool
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_several_boxes
  public :: test_arrays_of_kernels, test_two_models, test_types_of_views, test_bad_views, test_loops_of_known_length, &
            test_rims, test_scatters
  integer, parameter :: nx = 24, ny = 18
  character(*), parameter :: strategies(*) = [character(14) :: 'blocking', 'edge-first', 'dataflow', 'deep:2', &
                                                               'deep:2+tiled:3']

  !> What a model gives its kernels.
  type :: sheet
    real(real64) :: share = 0.1_real64
    integer :: calls = 0
  end type

  character(300) :: complaint = ''
  integer :: refused = 0
  real(real64), pointer :: halves(:, :, :)

contains

  pure real(real64) function first_value(i, j)
    integer, intent(in) :: i, j

    first_value = sin(0.7_real64 * (3 * i + 5 * j))
  end function

  !> To the first array from the second, by the share of the model.
  subroutine spread_heat(box, views)
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
        to(i, j) = from(i, j) + share * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1) - 4 * from(i, j))
      end do
    end do
  end subroutine

  !> The same on a whole grid of periodic axes, `passes` times.
  subroutine plain(share, passes, values)
    real(real64), intent(in) :: share
    integer, intent(in) :: passes
    real(real64), allocatable, intent(out) :: values(:, :)
    real(real64) :: from(0:nx + 1, 0:ny + 1)
    integer :: n, i, j

    allocate (values(nx, ny))
    do j = 1, ny
      do i = 1, nx
        values(i, j) = first_value(i, j)
      end do
    end do
    do n = 1, passes
      from(1:nx, 1:ny) = values
      from(0, :) = from(nx, :)
      from(nx + 1, :) = from(1, :)
      from(:, 0) = from(:, ny)
      from(:, ny + 1) = from(:, 1)
      do j = 1, ny
        do i = 1, nx
          values(i, j) = from(i, j) + share * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1) &
                                               - 4 * from(i, j))
        end do
      end do
    end do
  end subroutine

  !> One model on its own domain: a step goes to the other array and back, `times` times.
  subroutine run_sheet(comm, model, strategy, steps, times, numbering, rim, values)
    integer, intent(in) :: comm, steps, times
    type(sheet), intent(inout), target :: model
    character(*), intent(in) :: strategy, numbering
    integer, intent(in) :: rim
    real(real64), allocatable, intent(out) :: values(:, :)
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b
    type(lapwing_step) :: step
    real(real64), pointer :: a(:, :)
    integer :: i, j

    call domain%create(comm, [nx, ny], periodic=[.true., .true.], numbering=numbering)
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    if (rim > 0) then
      call step%stage_of_views('there', spread_heat, [writes(field_b), reads(field_a, cross(1))], model, rim=around(rim))
    else
      call step%stage_of_views('there', spread_heat, [writes(field_b), reads(field_a, cross(ahead('x'), behind('x'), &
                                                                                         ahead('y'), behind('y')))], model)
    end if
    call step%stage_of_views('back', spread_heat, [writes(field_a), reads(field_b, cross(1))], model, repeats=2, times=times)
    call step%create(domain, strategy=strategy)
    call field_a%get(a)
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        a(i, j) = first_value(i - domain%shift(1) + 1, j - domain%shift(2) + 1)
      end do
    end do
    call field_a%modified()
    call step%run(steps)
    call field_a%gather(values)
    call domain%close()
  end subroutine

  subroutine test_arrays_of_kernels(comm)
    integer, intent(in) :: comm
    character(6), parameter :: numberings(2) = ['global', 'local ']
    type(sheet), target :: model
    real(real64), allocatable :: expected(:, :), values(:, :)
    integer :: n, m

    call plain(model%share, 8, expected)
    do n = 1, size(strategies)
      do m = 1, 2
        call run_sheet(comm, model, trim(strategies(n)), 4, 1, trim(numberings(m)), 0, values)
        if (size(values) > 0) call expect(all(values == expected), 'bits of kernels that get arrays under '//strategies(n))
      end do
    end do
  end subroutine

  !> Ranks that own several boxes: the bits of one.
  subroutine test_several_boxes(comm)
    integer, intent(in) :: comm
    type(sheet), target :: model
    type(lapwing_domain) :: domain, bad
    type(lapwing_field) :: field_a, field_b
    type(lapwing_box) :: mine
    real(real64), allocatable :: expected(:, :), values(:, :)
    real(real64), pointer :: a(:, :)
    logical :: wet(nx, ny)
    integer :: n, b, i, j, stat
    character(300) :: errmsg

    wet = .true.
    call bad%create_masked(comm, wet, assigned=.true., numbering='local', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, "numbering of a domain: got 'local' with assigned blocks")
    call bad%create_masked(comm, wet, assigned=.true., nodes_first=.true., stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'got assigned blocks and nodes first')
    call plain(model%share, 8, expected)
    call domain%create_masked(comm, wet, periodic=[.true., .true.], assigned=.true.)
    call expect(domain%boxes() > 1, 'a rank owns several boxes')
    do n = 1, size(strategies)
      block
        type(lapwing_step) :: step, knowing

        call field_a%declare(domain, 'a')
        call field_b%declare(domain, 'b')
        call knowing%stage('there', know_arrays, [updates(field_a)])
        call knowing%create(domain, stat=stat, errmsg=errmsg)
        call expect_error(stat, errmsg, 'kernel of stage there: got one that knows its arrays')
        call step%stage_of_views('there', spread_heat, [writes(field_b), reads(field_a, cross(1))], model)
        call step%stage_of_views('back', spread_heat, [writes(field_a), reads(field_b, cross(1))], model)
        call step%create(domain, strategy=trim(strategies(n)))
        do b = 1, domain%boxes()
          call field_a%get(a, box=b)
          mine = domain%box(b)
          do j = mine%j1, mine%j2
            do i = mine%i1, mine%i2
              a(i, j) = first_value(i, j)
            end do
          end do
        end do
        call field_a%modified()
        call step%run(4)
        call field_a%gather(values)
        if (domain%rank == 0) call expect(all(values == expected), 'bits of several boxes under '//strategies(n))
        call field_a%get(a, stat, errmsg, box=domain%boxes() + 1)
        call expect(stat == 2, 'a box that the rank does not have is refused')
      end block
    end do
    mine = domain%box(0, stat, errmsg)
    call expect(stat == 2, 'boxes are numbered from 1')
    call domain%close()
  end subroutine

  subroutine know_arrays(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    halves(i1:i2, j1:j2, 1) = 0
  end subroutine

  !> One kernel serves two models, each with numbers of its own.
  subroutine test_two_models(comm)
    integer, intent(in) :: comm
    type(sheet), target :: models(2)
    real(real64), allocatable :: expected(:, :), values(:, :)
    integer :: n

    models%share = [0.05_real64, 0.2_real64]
    do n = 1, 2
      call plain(models(n)%share, 4, expected)
      call run_sheet(comm, models(n), 'dataflow', 2, 1, 'global', 0, values)
      if (size(values) > 0) call expect(all(values == expected), 'a kernel finds the numbers of its model')
    end do
  end subroutine

  subroutine test_loops_of_known_length(comm)
    integer, intent(in) :: comm
    type(sheet), target :: model
    real(real64), allocatable :: expected(:, :), values(:, :)
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b
    integer :: n

    call plain(model%share, 2 * 3 * 2, expected)
    do n = 1, size(strategies)
      call run_sheet(comm, model, trim(strategies(n)), 2, 3, 'global', 0, values)
      if (size(values) > 0) call expect(all(values == expected), 'two stages, three times in a step, under '//strategies(n))
    end do
    call domain%create(comm, [nx, ny])
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    call refuse(0, 1)
    call refuse(3, 2)
    call refuse(1000001, 1)
    call refuse_a_loop_in_a_loop()
    call domain%close()

  contains

    subroutine refuse(times, repeats)
      integer, intent(in) :: times, repeats
      type(lapwing_step) :: step
      integer :: stat
      character(300) :: errmsg

      call step%stage_of_views('there', spread_heat, [writes(field_b), reads(field_a)], times=times, repeats=repeats)
      call step%create(domain, stat=stat, errmsg=errmsg)
      call expect_error(stat, errmsg, 'stage there, times: got a loop')
    end subroutine

    subroutine refuse_a_loop_in_a_loop()
      type(lapwing_step) :: step
      integer :: stat
      character(300) :: errmsg

      call step%stage_of_views('there', spread_heat, [writes(field_b), reads(field_a)])
      call step%stage_of_views('back', spread_heat, [writes(field_a), reads(field_b)], times=3, repeats=2)
      call step%stage_of_views('again', spread_heat, [writes(field_b), reads(field_a)], times=2, repeats=3)
      call step%create(domain, stat=stat, errmsg=errmsg)
      call expect_error(stat, errmsg, 'stage again, times: got a loop around a loop')
    end subroutine
  end subroutine

  !> A rim spares an exchange, and changes no bits.
  subroutine test_rims(comm)
    integer, intent(in) :: comm
    type(sheet), target :: model
    real(real64), allocatable :: expected(:, :), values(:, :)
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b
    type(lapwing_step) :: with_rim, bad
    type(lapwing_costs) :: costs
    integer :: n, stat
    character(300) :: errmsg

    call plain(model%share, 8, expected)
    do n = 1, size(strategies)
      call run_sheet(comm, model, trim(strategies(n)), 4, 1, 'global', 1, values)
      if (size(values) > 0) call expect(all(values == expected), 'bits of a stage with a rim under '//strategies(n))
    end do
    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    call bad%stage_of_views('there', spread_heat, [writes(field_b), reads(field_a)], model, rim=around(-1))
    call bad%create(domain, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'stage there: got a rim of behind(x, -1)')
    call with_rim%stage_of_views('there', spread_heat, [writes(field_b), reads(field_a, cross(1))], model, rim=around(1))
    call with_rim%stage_of_views('back', spread_heat, [writes(field_a), reads(field_b, cross(1))], model)
    call with_rim%create(domain)
    call with_rim%run(3)
    costs = with_rim%costs()
    call expect(nint(costs%exchanges) == 1 .or. domain%ranks == 1, 'a rim spares one of two exchanges')
    call domain%close()
  end subroutine

  !> Each type of values and number of dimensions, with levels and components.
  subroutine test_types_of_views(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain, deep
    type(lapwing_field) :: whole, single, flag, truth, layers, column
    type(lapwing_step) :: step, below
    integer(int32), allocatable :: numbers(:, :)
    real(real64), allocatable :: values(:, :, :)

    call domain%create(comm, [nx, ny])
    call whole%declare(domain, 'whole', type=lapwing_int32)
    call single%declare(domain, 'single', type=lapwing_real32)
    call flag%declare(domain, 'flag', type=lapwing_bool)
    call truth%declare(domain, 'truth', type=lapwing_logical)
    call layers%declare(domain, 'layers', levels=3, components=2, axes='zxyc')
    call step%stage_of_views('set', set_all, [writes(whole), writes(single), writes(flag), writes(truth), writes(layers)])
    call step%stage_of_views('sum', sum_up, [updates(whole), reads(single), reads(flag), reads(truth), reads(layers)])
    call step%create(domain)
    call step%run(1)
    call whole%gather(numbers)
    if (domain%rank == 0) call expect(all(numbers == 1 + 2 + 3 + 4 + 5), 'arrays of every type in a kernel')
    call domain%close()
    call deep%create(comm, [6, 6, 12])
    call column%declare(deep, 'column')
    call below%stage_of_views('set', set_column, [writes(column)], on=[1, 6, 1, 6, 4, 7])
    call below%create(deep)
    call below%run(1)
    call column%gather(values)
    if (deep%rank == 0) call expect(nint(sum(values)) == 6 * 6 * 4, 'a kernel that gets an array of three axes')
    call deep%close()
  end subroutine

  subroutine set_all(box, views)
    type(lapwing_box), intent(in) :: box
    type(lapwing_views), intent(in) :: views
    integer(int32), pointer :: whole(:, :)
    real(real32), pointer :: single(:, :)
    logical(c_bool), pointer :: flag(:, :)
    logical, pointer :: truth(:, :)
    real(real64), pointer :: layers(:, :, :, :)

    call views%get(1, whole)
    call views%get(2, single)
    call views%get(3, flag)
    call views%get(4, truth)
    call views%get(5, layers)
    whole(box%i1:box%i2, box%j1:box%j2) = 1
    single(box%i1:box%i2, box%j1:box%j2) = 2
    flag(box%i1:box%i2, box%j1:box%j2) = .true.
    truth(box%i1:box%i2, box%j1:box%j2) = .true.
    layers(:, box%i1:box%i2, box%j1:box%j2, 1) = 0
    layers(3, box%i1:box%i2, box%j1:box%j2, 2) = 5
  end subroutine

  subroutine sum_up(box, views)
    type(lapwing_box), intent(in) :: box
    type(lapwing_views), intent(in) :: views
    integer(int32), pointer :: whole(:, :)
    real(real32), pointer :: single(:, :)
    logical(c_bool), pointer :: flag(:, :)
    logical, pointer :: truth(:, :)
    real(real64), pointer :: layers(:, :, :, :)
    integer :: i, j

    call views%get(1, whole)
    call views%get(2, single)
    call views%get(3, flag)
    call views%get(4, truth)
    call views%get(5, layers)
    do j = box%j1, box%j2
      do i = box%i1, box%i2
        whole(i, j) = whole(i, j) + nint(single(i, j)) + nint(layers(3, i, j, 2)) + merge(3, 0, logical(flag(i, j))) &
                      + merge(4, 0, truth(i, j))
      end do
    end do
  end subroutine

  subroutine set_column(box, views)
    type(lapwing_box), intent(in) :: box
    type(lapwing_views), intent(in) :: views
    real(real64), pointer :: column(:, :, :)

    call views%get(1, column)
    column(box%i1:box%i2, box%j1:box%j2, box%k1:box%k2) = 1
  end subroutine

  !> Numbers and pointers that no array has are named.
  subroutine test_bad_views(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_step) :: step

    call domain%create(comm, [nx, ny])
    call field%declare(domain, 'a', axes='xy')
    call step%stage_of_views('wrong', get_wrong, [updates(field)])
    call step%create(domain)
    refused = 0
    call step%run(1)
    call expect(refused == 4 .or. domain%is_empty(), 'a pointer that does not fit is refused')
    call expect(index(complaint, 'stage wrong, array 1: got a pointer of another type') > 0 .or. domain%is_empty(), &
                'the stage and the array are named: '//trim(complaint))
    call domain%close()
  end subroutine

  subroutine get_wrong(box, views)
    type(lapwing_box), intent(in) :: box
    type(lapwing_views), intent(in) :: views
    real(real64), pointer :: array(:, :), deep(:, :, :)
    real(real32), pointer :: single(:, :)
    integer :: stat(4)

    if (refused > 0 .or. box%i2 < box%i1) return
    call views%get(0, array, stat(1), complaint)
    call views%get(2, array, stat(2), complaint)
    call views%get(1, deep, stat(3), complaint)
    call views%get(1, single, stat(4), complaint)
    if (.not. associated(array) .and. .not. associated(deep) .and. .not. associated(single)) refused = count(stat == 2)
  end subroutine

  !> Halves of each cell's value go to the neighbours along x, and their owners sum them up.
  subroutine test_scatters(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: parts, sums, bad
    type(lapwing_step) :: step
    real(real64), allocatable :: values(:, :)
    integer :: i, stat
    character(300) :: errmsg

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call bad%declare(domain, 'bad', components=2, component_extents=[ahead('x')], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'component_extents of field bad')
    call parts%declare(domain, 'parts', components=2, axes='xyc', component_extents=[ahead('x'), behind('x')])
    call sums%declare(domain, 'sums', axes='xy')
    call step%stage('give', give_halves, [scatters(parts)])
    call step%stage_of_views('sum', sum_halves, [writes(sums), reads(parts)])
    call step%create(domain)
    call parts%get(halves)
    call step%run(1)
    call sums%gather(values)
    if (domain%rank == 0) then
      do i = 1, nx
        call expect(all(values(i, :) == 1000 * (modulo(i - 2, nx) + 1) + modulo(i, nx) + 1), &
                    'a cell gets what its neighbours scatter')
      end do
    end if
    call domain%close()
  end subroutine

  subroutine give_halves(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i

    do i = i1, i2
      halves(i + 1, j1:j2, 1) = 1000 * (modulo(i - 1, nx) + 1)
      halves(i - 1, j1:j2, 2) = modulo(i - 1, nx) + 1
    end do
  end subroutine

  subroutine sum_halves(box, views)
    type(lapwing_box), intent(in) :: box
    type(lapwing_views), intent(in) :: views
    real(real64), pointer :: sums(:, :), parts(:, :, :)

    call views%get(1, sums)
    call views%get(2, parts)
    sums(box%i1:box%i2, box%j1:box%j2) = sum(parts(box%i1:box%i2, box%j1:box%j2, :), 3)
  end subroutine
end module test_views
