!> Steps: the stages of a model, each array named once with what its kernel does to it.
module lapwing_steps
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_funloc, c_int, c_int64_t, c_loc, &
                                         c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing_c, only: c_box, c_stage, c_step_check, c_step_costs, c_step_create, c_step_describe, c_step_free, &
                       c_step_observe, c_step_options, c_step_position, c_step_restart_at, c_step_run, &
                       c_step_run_numbered, c_step_strategy, c_use, c_view, lapwing_costs, lapwing_extent
  use lapwing_census, only: lapwing_census_entry, take_census
  use lapwing_domains, only: known_domain, lapwing_box, lapwing_domain
  use lapwing_errors, only: c_text, complain, fortran_text, settle
  use lapwing_reductions, only: lapwing_reduction
  use lapwing_uses, only: lapwing_use
  use lapwing_kernels, only: array_view, kernel_2d, kernel_3d, kernel_of_views, lapwing_views, view_of
  implicit none
  private
  public :: lapwing_census_entry, lapwing_costs, lapwing_step

  abstract interface
    !> Sets what kernels of step `number`, from 1, read besides their arrays: the time, say.
    subroutine numbers_of_step(number)
      integer, intent(in) :: number
    end subroutine
    !> The work that all ranks do together after a stage.
    subroutine work_of_all()
    end subroutine
  end interface

  !> A stage that is waiting for its step to be made, and then what its kernel is called by.
  type :: stage_holder
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
    type(c_box) :: region
    type(c_stage) :: declared
  end type

  type :: numbers_holder
    procedure(numbers_of_step), pointer, nopass :: set => null()
  end type

  !> A stage of the step, which a loop of known length holds once for each iteration.
  type :: stage_pointer
    type(stage_holder), pointer :: held => null()
    integer :: iteration = 0  ! from 1; 0: in no loop
    logical :: again = .false.
  end type

  !> The stages of a model in the order of a strategy, with their exchanges: declare stages, create it, run it. No copies.
  type :: lapwing_step
    type(c_ptr) :: handle = c_null_ptr
    type(stage_pointer), allocatable :: stages(:)
    integer, private :: created = 0  ! stages that it was made of
  contains
    !> call step%stage(name, kernel, [updates(u), reads(v, ahead('x'))], ...), stages in the order of the model.
    procedure :: stage => stage_2d
    procedure :: stage_of_3d => stage_3d
    procedure :: stage_of_views
    procedure :: create => create_step
    procedure :: run => run_step
    procedure :: position => position_of_step
    procedure :: restart_at
    procedure :: check => check_step
    procedure :: strategy => strategy_of_step
    procedure :: describe => describe_step
    procedure :: costs => costs_of_step
    procedure :: observe => observe_step
    procedure :: census => census_of_step
    procedure, private :: add, repeat
    final :: free_step
  end type

contains

  !> Adds a stage whose kernel computes kernel(i1, i2, j1, j2). on: [first i, last i, first j, last j] of the whole grid,
  !> counted from 1, which limits its cells. reduces: a number that the kernel lowers or raises. then: work that all ranks
  !> do together afterwards. repeats: runs again, with the repeats - 1 stages before it, while `reduces` is above
  !> `while_above`, or `times` times in all, as the barotropic steps within a baroclinic step do. rim: computes this far
  !> beyond the cells of its rank too, which keeps halos of that width fresh. position: in which step of a cycle it runs, 1
  !> unless said, for time levels that rotate: the first step runs the stages of position 1, the next the stages of
  !> position 2, and so on. Local.
  subroutine stage_2d(self, name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
    class(lapwing_step), intent(inout) :: self
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
    type(stage_holder), pointer :: holder

    allocate (holder)
    holder%in_2d => kernel
    call self%add(holder, name, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
  end subroutine

  !> The same where the grid is cut along z too: kernel(i1, i2, j1, j2, k1, k2), and six numbers of `on`. Local.
  subroutine stage_3d(self, name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
    class(lapwing_step), intent(inout) :: self
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
    type(stage_holder), pointer :: holder

    allocate (holder)
    holder%in_3d => kernel
    call self%add(holder, name, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
  end subroutine

  !> The same for a kernel that gets its arrays: kernel(box, views), where call views%get(1, array) is the array of the
  !> first use, in the model's indices. One kernel serves several stages so. model: what it finds as views%model, a
  !> target of any type that lives as long as the step. Grids of two and three axes. Local.
  subroutine stage_of_views(self, name, kernel, uses, model, on, reduces, then, in_any_order, repeats, while_above, times, rim, &
                            position)
    class(lapwing_step), intent(inout) :: self
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
    type(stage_holder), pointer :: holder

    allocate (holder)
    holder%of_views => kernel
    if (present(model)) holder%model => model
    call self%add(holder, name, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
  end subroutine

  subroutine add(self, holder, name, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
    class(lapwing_step), intent(inout) :: self
    type(stage_holder), pointer, intent(in) :: holder
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

    holder%title = name
    holder%name = c_text(name)
    holder%uses = uses
    holder%given = uses%given
    call find_problem(holder, on, reduces)
    associate (stage => holder%declared)
      stage%name = c_loc(holder%name)
      stage%kernel = c_funloc(call_kernel)
      stage%context = c_loc(holder)
      stage%uses = c_loc(holder%given)
      stage%use_count = size(uses, kind=c_int)
      if (present(on)) then
        do n = 1, min(3, size(on) / 2)
          holder%region%lo(n) = on(2 * n - 1) - 1
          holder%region%hi(n) = on(2 * n)
        end do
        stage%region = c_loc(holder%region)
      end if
      if (present(reduces)) stage%reduces = reduces%handle
      if (present(then)) then
        holder%work => then
        stage%then = c_funloc(call_work)
      end if
      if (present(in_any_order)) stage%in_any_order = merge(1_c_int, 0_c_int, in_any_order)
      if (present(repeats) .and. .not. present(times)) stage%repeats = int(repeats, c_int)
      if (present(while_above)) stage%repeats_above = while_above
      if (present(rim)) stage%rim = rim
      if (present(position)) stage%position = int(position - 1, c_int)
    end associate
    if (.not. allocated(self%stages)) allocate (self%stages(0))
    self%stages = [self%stages, stage_pointer(holder)]
    if (present(times)) call self%repeat(holder, times, repeats, present(while_above))
  end subroutine

  !> Lists the last `count` stages `times` times, with the numbers of their iterations.
  subroutine repeat(self, holder, times, count, conditional)
    class(lapwing_step), intent(inout) :: self
    type(stage_holder), intent(inout) :: holder
    integer, intent(in) :: times
    integer, intent(in), optional :: count
    logical, intent(in) :: conditional
    type(stage_pointer), allocatable :: all(:)
    integer :: n, stages, before, first

    stages = 1
    if (present(count)) stages = count
    if (times < 1 .or. times > 1000000 .or. stages < 1 .or. stages > size(self%stages) .or. conditional) then
      holder%problem = 'times: got a loop of no length, of more stages than there are, or with while_above too; '// &
        'expected repeats=number of stages, times=1 to 1000000; give these'
      return
    end if
    before = size(self%stages) - stages
    if (any(self%stages(before + 1:)%iteration > 0)) then
      holder%problem = 'times: got a loop around a loop; expected one of other stages; give the inner one while_above'
      return
    end if
    allocate (all(before + stages * times))
    all(:before) = self%stages(:before)
    do n = 1, times
      first = before + (n - 1) * stages
      all(first + 1:first + stages) = self%stages(before + 1:)
      where (all(first + 1:first + stages)%iteration == 0) all(first + 1:first + stages)%iteration = n
      if (n > 1) all(first + 1:first + stages)%again = .true.
    end do
    call move_alloc(all, self%stages)
  end subroutine

  !> The error of a declaration, which `create` then reports.
  subroutine find_problem(holder, on, reduces)
    type(stage_holder), intent(inout) :: holder
    integer, intent(in), optional :: on(:)
    type(lapwing_reduction), intent(in), optional :: reduces
    integer :: n, numbers

    numbers = merge(4, 6, associated(holder%in_2d))
    if (present(on)) then
      if (associated(holder%of_views) .and. size(on) == 4) numbers = 4
      if (size(on) /= numbers) holder%problem = 'on: got another count of numbers; expected the first and the last '// &
        'index along each axis: [i1, i2, j1, j2], or six where the grid is cut along z; give these'
    end if
    if (present(reduces)) then
      if (.not. c_associated(reduces%handle)) holder%problem = 'number that it reduces: got one that was not '// &
        "created; expected call number%create('maximum') before; create it"
    end if
    do n = 1, size(holder%uses)
      if (.not. c_associated(holder%given(n)%field)) holder%problem = 'fields: got one that was neither declared nor '// &
        'wrapped; expected field%declare or field%wrap before; call one of them'
    end do
  end subroutine

  subroutine call_kernel(context, box, views) bind(C, name="")
    type(c_ptr), value :: context
    type(c_box), intent(in) :: box
    type(c_view), intent(in) :: views(*)  ! of C, without bounds
    type(stage_holder), pointer :: stage
    type(lapwing_views) :: seen
    integer :: first(3), last(3), number

    call c_f_pointer(context, stage)
    first = int(box%lo) + stage%shift
    last = int(box%hi) + stage%shift - 1
    if (associated(stage%in_2d)) then
      call stage%in_2d(first(1), last(1), first(2), last(2))
    else if (associated(stage%of_views)) then
      do number = 1, merge(size(stage%views, 2), 1, size(stage%views, 1) > 0) - 1
        if (c_associated(views(1)%data, stage%views(1, number)%data)) exit
      end do
      call seen%point_to(stage%views(:, number), stage%title, stage%model)
      call stage%of_views(lapwing_box(first(1), last(1), first(2), last(2), first(3), last(3)), seen)
    else
      call stage%in_3d(first(1), last(1), first(2), last(2), first(3), last(3))
    end if
  end subroutine

  subroutine call_work(context) bind(C, name="")
    type(c_ptr), value :: context
    type(stage_holder), pointer :: stage

    call c_f_pointer(context, stage)
    call stage%work()
  end subroutine

  !> Makes the schedule, the exchanges, and the memory of declared fields. strategy: 'blocking' unless said, 'edge-first',
  !> 'dataflow', 'tiled', 'deep:4', 'auto', ...; transport: 'auto', the fastest, unless said. threads: of each rank, one
  !> unless said, which share its kernels; at most the cores that the launcher gave a rank. Kernels are then called from
  !> several threads at a time: compile them with -frecursive (gfortran) or -recursive (ifx), so that large local arrays
  !> are each thread's own, and save nothing in them. MPI must have been initialised with MPI_THREAD_FUNNELED, as
  !> lapwing_run does. Collective.
  subroutine create_step(self, domain, strategy, transport, threads, stat, errmsg)
    class(lapwing_step), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    character(*), intent(in), optional :: strategy, transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: order(:), by(:)
    type(c_stage), allocatable :: declared(:)
    type(c_step_options) :: options
    integer(c_int) :: code
    integer :: n

    if (.not. known_domain(domain, stat, errmsg)) return
    if (c_associated(self%handle)) then
      call complain('step: got one that was created before; expected a new one; declare another lapwing_step', stat, errmsg)
      return
    end if
    if (present(strategy)) then
      order = c_text(strategy)
      options%strategy = c_loc(order)
    end if
    if (present(transport)) then
      by = c_text(transport)
      options%transport = c_loc(by)
    end if
    if (present(threads)) options%threads = int(threads, c_int)
    if (.not. allocated(self%stages)) allocate (self%stages(0))
    allocate (declared(size(self%stages)))
    do n = 1, size(declared)
      if (.not. associated(self%stages(n)%held%of_views) .and. &
          (domain%size(3) > 1 .neqv. associated(self%stages(n)%held%in_3d))) then
        call complain("kernel of stage "//self%stages(n)%held%title//": got one of the other kind; expected "// &
                      "(i1, i2, j1, j2, k1, k2) on a grid with a z axis, (i1, i2, j1, j2) on others; "// &
                      "declare it by step%stage_of_3d, or by step%stage", stat, errmsg)
        return
      end if
      if (domain%assigned .and. .not. associated(self%stages(n)%held%of_views)) then
        call complain("kernel of stage "//self%stages(n)%held%title//": got one that knows its arrays; expected one that "// &
                      "gets them, as ranks own several boxes; declare it by step%stage_of_views", stat, errmsg)
        return
      end if
      if (allocated(self%stages(n)%held%problem)) then
        call complain('stage '//self%stages(n)%held%title//', '//self%stages(n)%held%problem, stat, errmsg)
        return
      end if
      self%stages(n)%held%shift = domain%shift
      declared(n) = self%stages(n)%held%declared
      declared(n)%iteration = int(self%stages(n)%iteration, c_int)
    end do
    code = c_step_create(domain%handle, declared, size(declared, kind=c_int), options, self%handle)
    self%created = size(declared)
    do n = 1, merge(size(declared), 0, code == 0)
      call see_arrays(self%stages(n)%held, max(1, domain%boxes()))
    end do
    call settle(code, stat, errmsg)
  end subroutine

  !> Finds the arrays of a stage, which have memory now.
  subroutine see_arrays(stage, boxes)
    type(stage_holder), intent(inout) :: stage
    integer, intent(in) :: boxes
    integer :: n, b

    if (allocated(stage%views)) return
    allocate (stage%views(size(stage%uses), boxes))
    do b = 1, boxes
      do n = 1, size(stage%uses)
        stage%views(n, b) = view_of(stage%uses(n), b)
      end do
    end do
  end subroutine

  !> Runs that many steps. set_numbers: called as set_numbers(n) before the kernels of step n, counted from 1 in this
  !> run, for what they read besides their arrays and what follows from n alone, such as the time. Strategies that take
  !> tiles through several steps call it for a later step and again for an earlier one. No kernel runs meanwhile.
  !> Collective.
  subroutine run_step(self, steps, set_numbers, stat, errmsg)
    class(lapwing_step), intent(in) :: self
    integer, intent(in) :: steps
    procedure(numbers_of_step), optional :: set_numbers
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(numbers_holder), target :: holder

    if (c_associated(self%handle) .and. size(self%stages) /= self%created) then
      call complain('step: got stages that were declared after it was created; expected all of them before; '// &
                    'declare them before step%create', stat, errmsg)
      return
    end if
    if (present(set_numbers)) then
      holder%set => set_numbers
      call settle(c_step_run_numbered(self%handle, int(steps, c_int64_t), c_funloc(call_numbers), c_loc(holder)), &
                  stat, errmsg)
    else
      call settle(c_step_run(self%handle, int(steps, c_int64_t)), stat, errmsg)
    end if
  end subroutine

  subroutine call_numbers(context, number) bind(C, name="")
    type(c_ptr), value :: context
    integer(c_int64_t), value :: number
    type(numbers_holder), pointer :: holder

    call c_f_pointer(context, holder)
    call holder%set(int(number) + 1)
  end subroutine

  !> The position in the cycle of the next step, 1 where there is no cycle. Local.
  pure integer function position_of_step(self) result(position)
    class(lapwing_step), intent(in) :: self

    position = int(c_step_position(self%handle)) + 1
  end function

  !> Goes on at this position of the cycle; all halos count as stale. Local; call it on all ranks.
  subroutine restart_at(self, position, stat, errmsg)
    class(lapwing_step), intent(in) :: self
    integer, intent(in) :: position
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(c_step_restart_at(self%handle, int(position - 1, c_int)), stat, errmsg)
  end subroutine

  !> Checks the stages against their declarations from now on, or no longer; many times slower. Collective.
  subroutine check_step(self, on, stat, errmsg)
    class(lapwing_step), intent(in) :: self
    logical, intent(in), optional :: on
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: checks

    checks = 1
    if (present(on)) checks = merge(1_c_int, 0_c_int, on)
    call settle(c_step_check(self%handle, checks), stat, errmsg)
  end subroutine

  !> The strategy in use. Local.
  function strategy_of_step(self) result(name)
    class(lapwing_step), intent(in) :: self
    character(:), allocatable :: name
    type(c_ptr) :: text

    call settle(c_step_strategy(self%handle, text))
    name = fortran_text(text)
  end function

  !> Describes its exchanges and stages. Local.
  function describe_step(self) result(lines)
    class(lapwing_step), intent(in) :: self
    character(:), allocatable :: lines
    type(c_ptr) :: text

    call settle(c_step_describe(self%handle, text))
    lines = fortran_text(text)
  end function

  !> The volume that this rank sends per step, and the cost of its exchanges since the step was made. Local.
  type(lapwing_costs) function costs_of_step(self)
    class(lapwing_step), intent(in) :: self

    call settle(c_step_costs(self%handle, costs_of_step))
  end function

  !> Takes the census of exchanges from now on, from zero, or ends it: each exchange is then preceded by a handshake, and
  !> steps run undivided. Steps that are checked do not count. Collective.
  subroutine observe_step(self, on, stat, errmsg)
    class(lapwing_step), intent(in) :: self
    logical, intent(in), optional :: on
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: wanted

    wanted = 1
    if (present(on)) wanted = merge(1_c_int, 0_c_int, on)
    call settle(c_step_observe(self%handle, wanted), stat, errmsg)
  end subroutine

  !> The exchanges of all steps since `observe`; none unless the step is observed. Local.
  subroutine census_of_step(self, entries, stat, errmsg)
    class(lapwing_step), intent(in) :: self
    type(lapwing_census_entry), allocatable, intent(out) :: entries(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code

    call take_census(self%handle, entries, code)
    call settle(code, stat, errmsg)
  end subroutine

  subroutine free_step(self)
    type(lapwing_step), intent(inout) :: self
    integer :: n

    call c_step_free(self%handle)
    self%handle = c_null_ptr
    if (.not. allocated(self%stages)) return
    do n = 1, size(self%stages)
      if (.not. self%stages(n)%again) deallocate (self%stages(n)%held)
    end do
    deallocate (self%stages)
  end subroutine
end module lapwing_steps
