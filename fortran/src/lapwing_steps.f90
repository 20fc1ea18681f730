!> Steps: the stages of a model in the order of a strategy.
module lapwing_steps
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_funloc, c_int, c_int64_t, c_loc, &
                                         c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing_c, only: c_stage, c_step_check, c_step_costs, c_step_create, c_step_describe, c_step_free, &
                       c_step_observe, c_step_options, c_step_position, c_step_restart_at, c_step_run, &
                       c_step_run_numbered, c_step_strategy, lapwing_costs, lapwing_extent
  use lapwing_census, only: lapwing_census_entry, take_census
  use lapwing_domains, only: known_domain, lapwing_domain
  use lapwing_errors, only: c_text, complain, fortran_text, settle
  use lapwing_kernels, only: kernel_2d, kernel_3d, kernel_of_views
  use lapwing_reductions, only: lapwing_reduction
  use lapwing_stages, only: held_stage, keep_stage, lapwing_stage, problem_of, see_arrays, stage, stage_of_3d, &
                            stage_of_views, work_of_all
  use lapwing_uses, only: lapwing_use
  implicit none
  private
  public :: lapwing_census_entry, lapwing_costs, lapwing_step

  abstract interface
    !> Sets what kernels of step `number`, from 1, read besides their arrays: the time, say.
    subroutine numbers_of_step(number)
      integer, intent(in) :: number
    end subroutine
  end interface

  type :: numbers_holder
    procedure(numbers_of_step), pointer, nopass :: set => null()
  end type

  !> A stage of the step, which a loop of known length holds once for each iteration.
  type :: stage_pointer
    type(held_stage), pointer :: held => null()
    integer :: iteration = 0  ! from 1; 0: in no loop
    logical :: again = .false.
  end type

  !> The domain of a step that was begun, and its options.
  type :: step_ground
    logical :: begun = .false.
    type(c_ptr) :: domain = c_null_ptr
    integer :: shift(3) = 1
    logical :: layered = .false., assigned = .false.
    integer :: boxes = 1, threads = 0
    character(kind=c_char), allocatable :: strategy(:), transport(:)
  end type

  !> The stages of a model in the order of a strategy, with their exchanges. It is created of all its stages at once, or
  !> begun, given its stages, and finished; then it runs. No copies.
  type :: lapwing_step
    type(c_ptr) :: handle = c_null_ptr
    type(stage_pointer), allocatable :: stages(:)
    integer, private :: created = 0  ! stages that it was made of
    type(step_ground), private :: ground
  contains
    !> call step%stage(name, kernel, [updates(u), reads(v, ahead('x'))], ...), stages in the order of the model.
    procedure :: stage => add_stage_2d
    procedure :: stage_of_3d => add_stage_3d
    procedure :: stage_of_views => add_stage_of_views
    procedure :: begin => begin_step
    procedure :: add
    procedure :: finish => finish_step
    procedure, private :: create_step, create_of_stages
    generic :: create => create_step, create_of_stages
    procedure :: run => run_step
    procedure :: position => position_of_step
    procedure :: restart_at
    procedure :: check => check_step
    procedure :: strategy => strategy_of_step
    procedure :: describe => describe_step
    procedure :: costs => costs_of_step
    procedure :: observe => observe_step
    procedure :: census => census_of_step
    procedure, private :: append, repeat
    final :: free_step
  end type

contains

  !> Adds stage(name, kernel, uses, ...), with the same arguments. Local.
  subroutine add_stage_2d(self, name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
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

    call self%append(stage(name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position))
  end subroutine

  !> Adds stage_of_3d(name, kernel, uses, ...), with the same arguments. Local.
  subroutine add_stage_3d(self, name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position)
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

    call self%append(stage_of_3d(name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, times, rim, position))
  end subroutine

  !> Adds stage_of_views(name, kernel, uses, ...), with the same arguments. Local.
  subroutine add_stage_of_views(self, name, kernel, uses, model, on, reduces, then, in_any_order, repeats, while_above, times, &
                                rim, position)
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

    call self%append(stage_of_views(name, kernel, uses, model, on, reduces, then, in_any_order, repeats, while_above, &
                                    times, rim, position))
  end subroutine

  !> Adds a stage behind those that it has, before `create` or between `begin` and `finish`. Local; call it on all ranks.
  subroutine add(self, stage, stat, errmsg)
    class(lapwing_step), intent(inout) :: self
    type(lapwing_stage), intent(in) :: stage
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (present(stat)) stat = 0
    if (c_associated(self%handle)) then
      call complain('step: got a stage after it was finished; expected all of them before; add it before step%finish', &
                    stat, errmsg)
      return
    end if
    call self%append(stage)
  end subroutine

  subroutine append(self, given)
    class(lapwing_step), intent(inout) :: self
    type(lapwing_stage), intent(in) :: given
    type(held_stage), pointer :: held

    held => keep_stage(given)
    if (.not. allocated(self%stages)) allocate (self%stages(0))
    self%stages = [self%stages, stage_pointer(held)]
    if (held%in_loop) call self%repeat(held)
  end subroutine

  !> Lists the stages of the loop that ends here as often as it runs, with the numbers of their iterations.
  subroutine repeat(self, held)
    class(lapwing_step), intent(inout) :: self
    type(held_stage), intent(inout) :: held
    type(stage_pointer), allocatable :: all(:)
    integer :: n, times, stages, before, first

    times = held%loop_times
    stages = held%loop_stages
    if (times < 1 .or. times > 1000000 .or. stages < 1 .or. stages > size(self%stages) .or. held%conditional) then
      held%problem = 'times: got a loop of no length, of more stages than there are, or with while_above too; '// &
        'expected repeats=number of stages, times=1 to 1000000; give these'
      return
    end if
    before = size(self%stages) - stages
    if (any(self%stages(before + 1:)%iteration > 0)) then
      held%problem = 'times: got a loop around a loop; expected one of other stages; give the inner one while_above'
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

  !> Makes the schedule, the exchanges, and the memory of declared fields, of the stages that were added. strategy:
  !> 'blocking' unless said, 'edge-first', 'dataflow', 'tiled', 'deep:4', 'auto', ...; transport: 'auto', the fastest,
  !> unless said. threads: of each rank, one unless said, which share its kernels; at most the cores that the launcher
  !> gave a rank. Kernels are then called from several threads at a time: compile them with -frecursive (gfortran) or
  !> -recursive (ifx), so that large local arrays are each thread's own, and save nothing in them. MPI must have been
  !> initialised with MPI_THREAD_FUNNELED, as lapwing_run does. Collective.
  subroutine create_step(self, domain, strategy, transport, threads, stat, errmsg)
    class(lapwing_step), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    character(*), intent(in), optional :: strategy, transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call self%begin(domain, strategy, transport, threads, stat, errmsg)
    if (present(stat)) then
      if (stat /= 0) return
    end if
    call self%finish(stat, errmsg)
    if (.not. c_associated(self%handle)) self%ground%begun = .false.
  end subroutine

  !> The same of these stages, [stage(name, kernel, uses), ...], in the order of the model; the step is new, and has none
  !> after an error. Collective.
  subroutine create_of_stages(self, domain, stages, strategy, transport, threads, stat, errmsg)
    class(lapwing_step), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    type(lapwing_stage), intent(in) :: stages(:)
    character(*), intent(in), optional :: strategy, transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: n

    if (c_associated(self%handle) .or. self%ground%begun .or. allocated(self%stages)) then
      call complain('step: got stages that were added before, and others to create it of; expected a new step; declare '// &
                    'another lapwing_step, or add all stages', stat, errmsg)
      return
    end if
    do n = 1, size(stages)
      call self%append(stages(n))
    end do
    if (present(stat)) then
      call self%create(domain, strategy, transport, threads, stat, errmsg)
      if (stat /= 0) call free_stages(self)
    else
      call self%create(domain, strategy, transport, threads)
    end if
  end subroutine

  !> Begins a step on a domain, with the options of `create`; its stages are added next, and `finish` ends it. Local; call
  !> it on all ranks.
  subroutine begin_step(self, domain, strategy, transport, threads, stat, errmsg)
    class(lapwing_step), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    character(*), intent(in), optional :: strategy, transport
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. known_domain(domain, stat, errmsg)) return
    if (c_associated(self%handle) .or. self%ground%begun) then
      call complain('step: got one that was created before; expected a new one; declare another lapwing_step', stat, errmsg)
      return
    end if
    if (present(stat)) stat = 0
    self%ground = step_ground(.true., domain%handle, domain%shift, domain%size(3) > 1, domain%assigned, &
                              max(1, domain%boxes()))
    if (present(strategy)) self%ground%strategy = c_text(strategy)
    if (present(transport)) self%ground%transport = c_text(transport)
    if (present(threads)) self%ground%threads = threads
  end subroutine

  !> Finishes a step that was begun: makes the schedule and the exchanges of its stages, and the memory of declared fields.
  !> An error for a step without stages; more of them may then be added. Collective.
  subroutine finish_step(self, stat, errmsg)
    class(lapwing_step), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_stage), allocatable :: declared(:)
    character(:), allocatable :: problem
    integer(c_int) :: code
    integer :: n

    if (c_associated(self%handle) .or. .not. self%ground%begun) then
      problem = merge('finished before', 'never begun    ', c_associated(self%handle))
      call complain('step: got one that was '//trim(problem)//'; expected call step%begin(domain), its stages, and '// &
                    'step%finish once; call them in this order', stat, errmsg)
      return
    end if
    if (.not. allocated(self%stages)) allocate (self%stages(0))
    allocate (declared(size(self%stages)))
    do n = 1, size(declared)
      associate (held => self%stages(n)%held)
        problem = problem_of(held, self%ground%layered, self%ground%assigned)
        if (problem /= '') then
          call complain(problem, stat, errmsg)
          return
        end if
        held%shift = self%ground%shift
        declared(n) = held%declared
        declared(n)%iteration = int(self%stages(n)%iteration, c_int)
      end associate
    end do
    code = c_step_create(self%ground%domain, declared, size(declared, kind=c_int), options_of(self%ground), self%handle)
    self%created = size(declared)
    do n = 1, merge(size(declared), 0, code == 0)
      call see_arrays(self%stages(n)%held, self%ground%boxes)
    end do
    call settle(code, stat, errmsg)
  end subroutine

  type(c_step_options) function options_of(ground) result(options)
    type(step_ground), intent(in), target :: ground

    if (allocated(ground%strategy)) options%strategy = c_loc(ground%strategy)
    if (allocated(ground%transport)) options%transport = c_loc(ground%transport)
    options%threads = int(ground%threads, c_int)
  end function

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

    if (self%ground%begun .and. .not. c_associated(self%handle)) then
      call complain('step: got one that was begun and not finished; expected call step%finish() before; call it after '// &
                    'its stages were added', stat, errmsg)
      return
    end if
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

    call c_step_free(self%handle)
    self%handle = c_null_ptr
    call free_stages(self)
  end subroutine

  subroutine free_stages(self)
    class(lapwing_step), intent(inout) :: self
    integer :: n

    if (.not. allocated(self%stages)) return
    do n = 1, size(self%stages)
      if (.not. self%stages(n)%again) deallocate (self%stages(n)%held)
    end do
    deallocate (self%stages)
  end subroutine
end module lapwing_steps
