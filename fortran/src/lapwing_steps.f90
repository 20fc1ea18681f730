!> Steps: the stages of a model, each array named once with what its kernel does to it.
module lapwing_steps
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_funloc, c_int, c_int64_t, c_loc, &
                                         c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing_c, only: c_box, c_number_create, c_number_free, c_number_partial, c_number_value, c_stage, c_step_check, &
                       c_step_costs, c_step_create, c_step_describe, c_step_free, c_step_observe, c_step_position, &
                       c_step_restart_at, c_step_run, c_step_strategy, lapwing_costs, lapwing_extent, lapwing_use
  use lapwing_census, only: lapwing_census_entry, take_census
  use lapwing_domains, only: known_domain, lapwing_domain
  use lapwing_errors, only: c_text, complain, fortran_text, settle
  use lapwing_extents, only: widen
  use lapwing_fields, only: lapwing_field
  implicit none
  private
  public :: lapwing_census_entry, lapwing_costs, lapwing_number, lapwing_step, lapwing_use
  public :: as_wide_as, reads, updates, writes

  abstract interface
    !> Computes the cells i1..i2, j1..j2, in the model's indices.
    subroutine kernel_2d(i1, i2, j1, j2)
      integer, intent(in) :: i1, i2, j1, j2
    end subroutine
    !> The same where the grid is cut along z too.
    subroutine kernel_3d(i1, i2, j1, j2, k1, k2)
      integer, intent(in) :: i1, i2, j1, j2, k1, k2
    end subroutine
    !> The work that all ranks do together after a stage.
    subroutine work_of_all()
    end subroutine
  end interface

  !> A number that kernels lower or raise, number%raise_to(mine), and all ranks agree on. Do not copy it.
  type :: lapwing_number
    !> The number that kernels have found so far.
    real(real64), pointer :: partial => null()
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_number
    procedure :: lower_to => lower_number_to
    procedure :: raise_to => raise_number_to
    procedure :: value => value_of_number
    final :: free_number
  end type

  !> A stage that is waiting for its step to be made, and then what its kernel is called by.
  type :: stage_holder
    procedure(kernel_2d), pointer, nopass :: in_2d => null()
    procedure(kernel_3d), pointer, nopass :: in_3d => null()
    procedure(work_of_all), pointer, nopass :: work => null()
    integer :: shift(3) = 1
    character(:), allocatable :: title, problem
    character(kind=c_char), allocatable :: name(:)
    type(lapwing_use), allocatable :: uses(:)
    type(c_box) :: region
    type(c_stage) :: declared
  end type

  type :: stage_pointer
    type(stage_holder), pointer :: held => null()
  end type

  !> The stages of a model in the order of a strategy, with the exchanges that they need. Declare the stages, then create
  !> it, then run it. Do not copy it.
  type :: lapwing_step
    type(c_ptr) :: handle = c_null_ptr
    type(stage_pointer), allocatable :: stages(:)
    integer, private :: created = 0  ! stages that it was made of
  contains
    procedure, private :: stage_2d, stage_3d
    !> call step%stage(name, kernel, [updates(u), reads(v, ahead('x'))], ...), stages in the order of the model.
    procedure :: stage => stage_2d
    procedure :: stage_of_3d => stage_3d
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
    procedure, private :: add
    final :: free_step
  end type

contains

  ! ---- what a kernel does to a field

  !> Reads it, as far as the extents say around each cell; several are together the whole rectangle.
  pure type(lapwing_use) function reads(field, extent, and, also, too) result(use)
    class(lapwing_field), intent(in) :: field
    type(lapwing_extent), intent(in), optional :: extent, and, also, too

    use%field = field%handle
    use%extent%corners = 0
    call widen(use%extent, extent)
    call widen(use%extent, and)
    call widen(use%extent, also)
    call widen(use%extent, too)
    if (present(and)) use%extent%corners = 1
  end function

  !> Sets the cells of its box without having read them.
  pure type(lapwing_use) function writes(field) result(use)
    class(lapwing_field), intent(in) :: field

    use%field = field%handle
    use%access = 1
  end function

  !> Reads and sets the cells of its box.
  pure type(lapwing_use) function updates(field) result(use)
    class(lapwing_field), intent(in) :: field

    use%field = field%handle
    use%access = 2
  end function

  !> The same, but no more of the extent, around(widths(last)), travels than the number asks for, in one of the widths,
  !> ascending, up to eight: how far a kernel looks upstream depends on the wind, say. A stage before it reduces the
  !> number.
  type(lapwing_use) function as_wide_as(use, number, widths) result(demanding)
    type(lapwing_use), intent(in) :: use
    type(lapwing_number), intent(in) :: number
    integer, intent(in) :: widths(:)

    demanding = use
    demanding%wide_as = number%handle
    if (size(widths) > size(demanding%widths)) then
      demanding%widths(1) = -1  ! which lapwing refuses
    else
      demanding%widths(1:size(widths)) = int(widths, c_int)
    end if
  end function

  ! ---- numbers of all ranks

  !> kind: 'minimum' or 'maximum'. Local.
  subroutine create_number(self, kind, stat, errmsg)
    class(lapwing_number), intent(inout) :: self
    character(*), intent(in) :: kind
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (kind /= 'minimum' .and. kind /= 'maximum') then
      call complain("kind of a number: got '"//kind//"'; expected 'minimum' or 'maximum'; pass one of these", &
                    stat, errmsg)
      return
    end if
    call settle(c_number_create(merge(0_c_int, 1_c_int, kind == 'minimum'), self%handle), stat, errmsg)
    call c_f_pointer(c_number_partial(self%handle), self%partial)
  end subroutine

  !> Combines a number that a kernel finds. NaN stays, whatever comes after it, so that all ranks see it: min and max may
  !> miss it. Local.
  subroutine lower_number_to(self, mine)
    class(lapwing_number), intent(inout) :: self
    real(real64), intent(in) :: mine

    if (mine < self%partial .or. mine /= mine) self%partial = mine
  end subroutine

  !> The same for the largest. Local.
  subroutine raise_number_to(self, mine)
    class(lapwing_number), intent(inout) :: self
    real(real64), intent(in) :: mine

    if (mine > self%partial .or. mine /= mine) self%partial = mine
  end subroutine

  !> Returns the number of all ranks from the last run of the stage; NaN before, and if any rank found NaN. Local.
  real(real64) function value_of_number(self)
    class(lapwing_number), intent(in) :: self

    value_of_number = c_number_value(self%handle)
  end function

  subroutine free_number(self)
    type(lapwing_number), intent(inout) :: self

    call c_number_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! ---- steps

  !> Adds a stage whose kernel computes kernel(i1, i2, j1, j2). on: [first i, last i, first j, last j] of the whole grid,
  !> counted from 1, which limits its cells. reduces: a number that the kernel lowers or raises. then: work that all ranks
  !> do together afterwards. repeats: runs again, with the repeats - 1 stages before it, while `reduces` is above
  !> `while_above`. position: in which step of a cycle it runs, 1 unless said, for time levels that rotate: the first step
  !> runs the stages of position 1, the next the stages of position 2, and so on. Local.
  subroutine stage_2d(self, name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, &
                      position)
    class(lapwing_step), intent(inout) :: self
    character(*), intent(in) :: name
    procedure(kernel_2d) :: kernel
    type(lapwing_use), intent(in) :: uses(:)
    integer, intent(in), optional :: on(:)
    type(lapwing_number), intent(in), optional :: reduces
    procedure(work_of_all), optional :: then
    logical, intent(in), optional :: in_any_order
    integer, intent(in), optional :: repeats
    real(real64), intent(in), optional :: while_above
    integer, intent(in), optional :: position
    type(stage_holder), pointer :: holder

    allocate (holder)
    holder%in_2d => kernel
    call self%add(holder, name, uses, on, reduces, then, in_any_order, repeats, while_above, &
                      position)
  end subroutine

  !> The same where the grid is cut along z too: kernel(i1, i2, j1, j2, k1, k2), and six numbers of `on`. Local.
  subroutine stage_3d(self, name, kernel, uses, on, reduces, then, in_any_order, repeats, while_above, &
                      position)
    class(lapwing_step), intent(inout) :: self
    character(*), intent(in) :: name
    procedure(kernel_3d) :: kernel
    type(lapwing_use), intent(in) :: uses(:)
    integer, intent(in), optional :: on(:)
    type(lapwing_number), intent(in), optional :: reduces
    procedure(work_of_all), optional :: then
    logical, intent(in), optional :: in_any_order
    integer, intent(in), optional :: repeats
    real(real64), intent(in), optional :: while_above
    integer, intent(in), optional :: position
    type(stage_holder), pointer :: holder

    allocate (holder)
    holder%in_3d => kernel
    call self%add(holder, name, uses, on, reduces, then, in_any_order, repeats, while_above, &
                      position)
  end subroutine

  subroutine add(self, holder, name, uses, on, reduces, then, in_any_order, repeats, while_above, &
                      position)
    class(lapwing_step), intent(inout) :: self
    type(stage_holder), pointer, intent(in) :: holder
    character(*), intent(in) :: name
    type(lapwing_use), intent(in) :: uses(:)
    integer, intent(in), optional :: on(:)
    type(lapwing_number), intent(in), optional :: reduces
    procedure(work_of_all), optional :: then
    logical, intent(in), optional :: in_any_order
    integer, intent(in), optional :: repeats
    real(real64), intent(in), optional :: while_above
    integer, intent(in), optional :: position
    integer :: n

    holder%title = name
    holder%name = c_text(name)
    holder%uses = uses
    call find_problem(holder, on, reduces)
    associate (stage => holder%declared)
      stage%name = c_loc(holder%name)
      stage%kernel = c_funloc(call_kernel)
      stage%context = c_loc(holder)
      stage%uses = c_loc(holder%uses)
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
      if (present(repeats)) stage%repeats = int(repeats, c_int)
      if (present(while_above)) stage%repeats_above = while_above
      if (present(position)) stage%position = int(position - 1, c_int)
    end associate
    if (.not. allocated(self%stages)) allocate (self%stages(0))
    self%stages = [self%stages, stage_pointer(holder)]
  end subroutine

  !> The error of a declaration, which `create` then reports.
  subroutine find_problem(holder, on, reduces)
    type(stage_holder), intent(inout) :: holder
    integer, intent(in), optional :: on(:)
    type(lapwing_number), intent(in), optional :: reduces
    integer :: n, numbers

    numbers = merge(4, 6, associated(holder%in_2d))
    if (present(on)) then
      if (size(on) /= numbers) holder%problem = 'on: got another count of numbers; expected the first and the last '// &
        'index along each axis: [i1, i2, j1, j2], or six where the grid is cut along z; give these'
    end if
    if (present(reduces)) then
      if (.not. c_associated(reduces%handle)) holder%problem = 'number that it reduces: got one that was not '// &
        "created; expected call number%create('maximum') before; create it"
    end if
    do n = 1, size(holder%uses)
      if (.not. c_associated(holder%uses(n)%field)) holder%problem = 'fields: got one that was neither declared nor '// &
        'wrapped; expected field%declare or field%wrap before; call one of them'
    end do
  end subroutine

  subroutine call_kernel(context, box, views) bind(C, name="")
    type(c_ptr), value :: context
    type(c_box), intent(in) :: box
    type(c_ptr), value :: views  ! kernels know their arrays
    type(stage_holder), pointer :: stage
    integer :: first(3), last(3)

    call c_f_pointer(context, stage)
    first = int(box%lo) + stage%shift
    last = int(box%hi) + stage%shift - 1
    if (associated(stage%in_2d)) then
      call stage%in_2d(first(1), last(1), first(2), last(2))
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
  !> 'dataflow', 'deep(4)', 'auto', ...; transport: 'auto', the fastest, unless said. Collective.
  subroutine create_step(self, domain, strategy, transport, stat, errmsg)
    class(lapwing_step), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    character(*), intent(in), optional :: strategy, transport
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: order, by
    type(c_stage), allocatable :: declared(:)
    integer :: n

    if (.not. known_domain(domain, stat, errmsg)) return
    if (c_associated(self%handle)) then
      call complain('step: got one that was created before; expected a new one; declare another lapwing_step', stat, errmsg)
      return
    end if
    order = 'blocking'
    if (present(strategy)) order = strategy
    by = 'auto'
    if (present(transport)) by = transport
    if (.not. allocated(self%stages)) allocate (self%stages(0))
    allocate (declared(size(self%stages)))
    do n = 1, size(declared)
      if (domain%size(3) > 1 .neqv. associated(self%stages(n)%held%in_3d)) then
        call complain("kernel of stage "//self%stages(n)%held%title//": got one of the other kind; expected "// &
                      "(i1, i2, j1, j2, k1, k2) on a grid with a z axis, (i1, i2, j1, j2) on others; "// &
                      "declare it by step%stage_of_3d, or by step%stage", stat, errmsg)
        return
      end if
      if (allocated(self%stages(n)%held%problem)) then
        call complain('stage '//self%stages(n)%held%title//', '//self%stages(n)%held%problem, stat, errmsg)
        return
      end if
      self%stages(n)%held%shift = domain%shift
      declared(n) = self%stages(n)%held%declared
    end do
    call settle(c_step_create(domain%handle, declared, size(declared, kind=c_int), c_text(order), c_text(by), &
                              self%handle), stat, errmsg)
    self%created = size(declared)
  end subroutine

  !> Runs that many steps. Collective.
  subroutine run_step(self, steps, stat, errmsg)
    class(lapwing_step), intent(in) :: self
    integer, intent(in) :: steps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (c_associated(self%handle) .and. size(self%stages) /= self%created) then
      call complain('step: got stages that were declared after it was created; expected all of them before; '// &
                    'declare them before step%create', stat, errmsg)
      return
    end if
    call settle(c_step_run(self%handle, int(steps, c_int64_t)), stat, errmsg)
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
      deallocate (self%stages(n)%held)
    end do
    deallocate (self%stages)
  end subroutine
end module lapwing_steps
