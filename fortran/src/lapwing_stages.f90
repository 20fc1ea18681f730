!> Stages: a kernel, and each array once with what the kernel does to it.
module lapwing_stages
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_funloc, c_int, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing_c, only: c_box, c_stage, c_use, c_view, lapwing_extent
  use lapwing_domains, only: lapwing_box
  use lapwing_errors, only: c_text
  use lapwing_kernels, only: array_view, kernel_2d, kernel_3d, kernel_of_views, lapwing_views, view_of
  use lapwing_reductions, only: lapwing_reduction
  use lapwing_uses, only: lapwing_use
  implicit none
  private
  public :: held_stage, keep_stage, lapwing_stage, problem_of, see_arrays, stage, stage_of_3d, stage_of_views, work_of_all

  abstract interface
    !> The work that all ranks do together after a stage.
    subroutine work_of_all()
    end subroutine
  end interface

  !> What was said of a stage, and then, in a step, what its kernel is called by.
  type :: held_stage
    procedure(kernel_2d), pointer, nopass :: in_2d => null()
    procedure(kernel_3d), pointer, nopass :: in_3d => null()
    procedure(kernel_of_views), pointer, nopass :: of_views => null()
    procedure(work_of_all), pointer, nopass :: work => null()
    integer :: shift(3) = 1
    character(:), allocatable :: title, problem
    character(kind=c_char), allocatable :: name(:)
    type(lapwing_use), allocatable :: uses(:)
    type(c_use), allocatable :: given(:)
    type(array_view), allocatable :: views(:, :)  ! by use and box
    class(*), pointer :: model => null()
    type(c_box), allocatable :: region
    type(c_stage) :: declared
    ! the loop that it ends: its last stages, as many times, or while a number is above another
    integer :: loop_stages = 1, loop_times = 0
    logical :: in_loop = .false., conditional = .false.
  end type

  !> A stage as a step takes it; made by stage, stage_of_3d and stage_of_views.
  type :: lapwing_stage
    type(held_stage), private :: held
  end type

contains

  !> A stage whose kernel computes kernel(i1, i2, j1, j2). on: [first i, last i, first j, last j] of the whole grid, counted
  !> from 1, which limits its cells. reduces: a number that the kernel lowers or raises. then: work that all ranks do
  !> together afterwards. repeats: runs again, with the repeats - 1 stages before it, while `reduces` is above
  !> `while_above`, or `times` times in all, as the barotropic steps within a baroclinic step do. rim: computes this far
  !> beyond the cells of its rank too, which keeps halos of that width fresh. position: in which step of a cycle it runs, 1
  !> unless said, for time levels that rotate: the first step runs the stages of position 1, the next the stages of
  !> position 2, and so on. Local.
  function stage(name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position) result(made)
    character(*), intent(in) :: name
    procedure(kernel_2d) :: kernel
    type(lapwing_use), intent(in) :: uses(:)
    integer, intent(in), optional :: on(:)
    type(lapwing_reduction), intent(in), optional :: reduces
    procedure(work_of_all), optional :: then
    logical, intent(in), optional :: in_any_order
    integer, intent(in), optional :: repeats, times
    real(real64), intent(in), optional :: while_above
    type(lapwing_extent), intent(in), optional :: rim
    integer, intent(in), optional :: position
    type(lapwing_stage) :: made

    made%held%in_2d => kernel
    call say(made%held, name, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
  end function

  !> The same where the grid is cut along z too: kernel(i1, i2, j1, j2, k1, k2), and six numbers of `on`. Local.
  function stage_of_3d(name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position) &
      result(made)
    character(*), intent(in) :: name
    procedure(kernel_3d) :: kernel
    type(lapwing_use), intent(in) :: uses(:)
    integer, intent(in), optional :: on(:)
    type(lapwing_reduction), intent(in), optional :: reduces
    procedure(work_of_all), optional :: then
    logical, intent(in), optional :: in_any_order
    integer, intent(in), optional :: repeats, times
    real(real64), intent(in), optional :: while_above
    type(lapwing_extent), intent(in), optional :: rim
    integer, intent(in), optional :: position
    type(lapwing_stage) :: made

    made%held%in_3d => kernel
    call say(made%held, name, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
  end function

  !> The same for a kernel that gets its arrays: kernel(box, views), where call views%get(1, array) is the array of the
  !> first use, in the model's indices. One kernel serves several stages so. model: what it finds as views%model, a
  !> target of any type that lives as long as the step. Grids of two and three axes. Local.
  function stage_of_views(name, kernel, uses, model, on, reduces, then, in_any_order, repeats, while_above, times, rim, &
                          position) result(made)
    character(*), intent(in) :: name
    procedure(kernel_of_views) :: kernel
    type(lapwing_use), intent(in) :: uses(:)
    class(*), intent(inout), target, optional :: model
    integer, intent(in), optional :: on(:)
    type(lapwing_reduction), intent(in), optional :: reduces
    procedure(work_of_all), optional :: then
    logical, intent(in), optional :: in_any_order
    integer, intent(in), optional :: repeats, times
    real(real64), intent(in), optional :: while_above
    type(lapwing_extent), intent(in), optional :: rim
    integer, intent(in), optional :: position
    type(lapwing_stage) :: made

    made%held%of_views => kernel
    if (present(model)) made%held%model => model
    call say(made%held, name, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
  end function

  subroutine say(held, name, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
    type(held_stage), intent(inout) :: held
    character(*), intent(in) :: name
    type(lapwing_use), intent(in) :: uses(:)
    integer, intent(in), optional :: on(:)
    type(lapwing_reduction), intent(in), optional :: reduces
    procedure(work_of_all), optional :: then
    logical, intent(in), optional :: in_any_order
    integer, intent(in), optional :: repeats, times
    real(real64), intent(in), optional :: while_above
    type(lapwing_extent), intent(in), optional :: rim
    integer, intent(in), optional :: position
    integer :: n

    held%title = name
    held%name = c_text(name)
    held%uses = uses
    held%given = uses%given
    call find_problem(held, on, reduces)
    if (present(on)) then
      allocate (held%region)
      do n = 1, min(3, size(on) / 2)
        held%region%lo(n) = on(2 * n - 1) - 1
        held%region%hi(n) = on(2 * n)
      end do
    end if
    if (present(then)) held%work => then
    held%in_loop = present(times)
    held%conditional = present(while_above)
    if (present(times)) held%loop_times = times
    if (present(repeats)) held%loop_stages = repeats
    associate (declared => held%declared)
      if (present(reduces)) declared%reduces = reduces%handle
      if (present(in_any_order)) declared%in_any_order = merge(1_c_int, 0_c_int, in_any_order)
      if (present(repeats) .and. .not. present(times)) declared%repeats = int(repeats, c_int)
      if (present(while_above)) declared%repeats_above = while_above
      if (present(rim)) declared%rim = rim
      if (present(position)) declared%position = int(position - 1, c_int)
    end associate
  end subroutine

  !> The error of a declaration, which the step then reports.
  subroutine find_problem(held, on, reduces)
    type(held_stage), intent(inout) :: held
    integer, intent(in), optional :: on(:)
    type(lapwing_reduction), intent(in), optional :: reduces
    integer :: n, numbers

    numbers = merge(4, 6, associated(held%in_2d))
    if (present(on)) then
      if (associated(held%of_views) .and. size(on) == 4) numbers = 4
      if (size(on) /= numbers) held%problem = 'on: got another count of numbers; expected the first and the last '// &
        'index along each axis: [i1, i2, j1, j2], or six where the grid is cut along z; give these'
    end if
    if (present(reduces)) then
      if (.not. c_associated(reduces%handle)) held%problem = 'number that it reduces: got one that was not '// &
        "created; expected call number%create('maximum') before; create it"
    end if
    do n = 1, size(held%uses)
      if (.not. c_associated(held%given(n)%field)) held%problem = 'fields: got one that was neither declared nor '// &
        'wrapped; expected field%declare or field%wrap before; call one of them'
    end do
  end subroutine

  !> A copy of a stage at an address that stays, for the step that it belongs to.
  function keep_stage(given) result(held)
    type(lapwing_stage), intent(in) :: given
    type(held_stage), pointer :: held

    allocate (held)
    held = given%held
    if (.not. allocated(held%title)) then
      held%title = 'without a name'
      held%name = c_text('')
      allocate (held%uses(0), held%given(0))
      held%problem = 'kernel: got none; expected a stage that was made; make it by stage(name, kernel, uses)'
    end if
    held%declared%name = c_loc(held%name)
    held%declared%kernel = c_funloc(call_kernel)
    held%declared%context = c_loc(held)
    held%declared%uses = c_loc(held%given)
    held%declared%use_count = size(held%uses, kind=c_int)
    if (allocated(held%region)) held%declared%region = c_loc(held%region)
    if (associated(held%work)) held%declared%then = c_funloc(call_work)
  end function

  !> The error of a stage on a domain, whose z axis is cut if `layered`; empty: none.
  function problem_of(held, layered, assigned) result(problem)
    type(held_stage), intent(in) :: held
    logical, intent(in) :: layered, assigned
    character(:), allocatable :: problem

    problem = ''
    if (allocated(held%problem)) then
      problem = 'stage '//held%title//', '//held%problem
    else if (.not. associated(held%of_views) .and. (layered .neqv. associated(held%in_3d))) then
      problem = 'kernel of stage '//held%title//': got one of the other kind; expected (i1, i2, j1, j2, k1, k2) on a '// &
                'grid with a z axis, (i1, i2, j1, j2) on others; declare it by step%stage_of_3d, or by step%stage'
    else if (assigned .and. .not. associated(held%of_views)) then
      problem = 'kernel of stage '//held%title//': got one that knows its arrays; expected one that gets them, as ranks '// &
                'own several boxes; declare it by step%stage_of_views'
    end if
  end function

  !> Finds the arrays of a stage, which have memory now.
  subroutine see_arrays(held, boxes)
    type(held_stage), intent(inout) :: held
    integer, intent(in) :: boxes
    integer :: n, b

    if (allocated(held%views)) return
    allocate (held%views(size(held%uses), boxes))
    do b = 1, boxes
      do n = 1, size(held%uses)
        held%views(n, b) = view_of(held%uses(n), b)
      end do
    end do
  end subroutine

  subroutine call_kernel(context, box, views) bind(C, name="")
    type(c_ptr), value :: context
    type(c_box), intent(in) :: box
    type(c_view), intent(in) :: views(*)  ! of C, without bounds
    type(held_stage), pointer :: held
    type(lapwing_views) :: seen
    integer :: first(3), last(3), number

    call c_f_pointer(context, held)
    first = int(box%lo) + held%shift
    last = int(box%hi) + held%shift - 1
    if (associated(held%in_2d)) then
      call held%in_2d(first(1), last(1), first(2), last(2))
    else if (associated(held%of_views)) then
      do number = 1, merge(size(held%views, 2), 1, size(held%views, 1) > 0) - 1
        if (c_associated(views(1)%data, held%views(1, number)%data)) exit
      end do
      call seen%point_to(held%views(:, number), held%title, held%model)
      call held%of_views(lapwing_box(first(1), last(1), first(2), last(2), first(3), last(3)), seen)
    else
      call held%in_3d(first(1), last(1), first(2), last(2), first(3), last(3))
    end if
  end subroutine

  subroutine call_work(context) bind(C, name="")
    type(c_ptr), value :: context
    type(held_stage), pointer :: held

    call c_f_pointer(context, held)
    call held%work()
  end subroutine
end module lapwing_stages
