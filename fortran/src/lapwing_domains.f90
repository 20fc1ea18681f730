!> Domains: the grid of a model, cut into one box per rank.
module lapwing_domains
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_funloc, c_int, c_int64_t, c_int8_t, c_loc, &
                                         c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing_c, only: c_box, c_connection, c_domain_box, c_domain_boxes, c_domain_close, c_domain_create, &
                       c_domain_create_from_boxes, c_domain_create_lines, c_domain_create_masked_by, c_domain_free, &
                       c_domain_rank, c_domain_ranks, c_domain_reduce, c_domain_set_land, c_exit, &
                       c_field_free, c_grid, c_partition_costs, c_run
  use lapwing_errors, only: c_text, complain, reduction_number, settle
  use lapwing_faces, only: lapwing_face_set
  implicit none
  private
  public :: lapwing_box, lapwing_domain, lapwing_run, known_domain

  !> Cells in the model's indices, both ends included; k1 = k2 = 1 without a z axis.
  type :: lapwing_box
    integer :: i1 = 1, i2 = 0, j1 = 1, j2 = 0, k1 = 1, k2 = 0
  end type

  !> A grid on the ranks of a communicator. Its cells have indices from 1 on all over the grid; with numbering='local' the
  !> first cell of each rank is 1 instead. Fields are freed with their domain. Do not copy it.
  type :: lapwing_domain
    !> This rank's cells, in the model's indices, both ends included; empty (i2 < i1) where it has none; of its first box
    !> where it has several.
    integer :: i1 = 1, i2 = 0, j1 = 1, j2 = 0, k1 = 1, k2 = 0
    !> This rank, from 0, and how many there are.
    integer :: rank = -1, ranks = 0
    !> Index of the model minus index of the grid, which begins at 0.
    integer :: shift(3) = 1
    !> The grid's cells along each axis.
    integer :: size(3) = 1
    !> True if ranks may own several boxes: see create_masked.
    logical :: assigned = .false.
    type(c_ptr) :: handle = c_null_ptr
    type(c_ptr), allocatable :: fields(:)
  contains
    procedure :: create
    procedure :: create_masked
    procedure :: create_from_cells
    procedure :: create_lines
    procedure :: set_land
    procedure :: reduce
    procedure :: close
    procedure :: keep
    procedure :: is_empty
    procedure :: boxes
    procedure :: box
    procedure, private :: found
    final :: free
  end type

  abstract interface
    subroutine program_on_ranks(comm)
      integer, intent(in) :: comm
    end subroutine
  end interface

  type :: program_holder
    procedure(program_on_ranks), pointer, nopass :: program => null()
  end type

contains

  !> Initialises MPI, calls program(comm) with MPI_COMM_WORLD, finalises MPI and exits. For programs that do not use MPI
  !> themselves; an error of lapwing is printed once and is the exit code. Collective over the job.
  subroutine lapwing_run(program)
    procedure(program_on_ranks) :: program
    type(program_holder), target :: holder

    holder%program => program
    call c_exit(c_run(c_funloc(call_program), c_loc(holder)))
  end subroutine

  subroutine call_program(context, comm) bind(C, name="")
    type(c_ptr), value :: context
    integer(c_int), value :: comm
    type(program_holder), pointer :: holder

    call c_f_pointer(context, holder)
    call holder%program(int(comm))
  end subroutine

  !> A grid of cells(1) x cells(2) (x cells(3)) cells, cut into blocks(1) x blocks(2) (x blocks(3)) boxes, or into the
  !> best ones for the ranks. comm: an integer communicator, in mpi_f08 comm%MPI_VAL. north_fold: 'T' or 'F', the points
  !> that the fold of a tripolar grid passes through, at the last row: centers, or corners along its upper edge. Such a
  !> grid is periodic in x, not in y, with an even number of cells along x. faces: those that the grid is made of, side by
  !> side along x; cells(1) counts the columns of all. Collective.
  subroutine create(self, comm, cells, periodic, north_fold, blocks, numbering, faces, stat, errmsg)
    class(lapwing_domain), intent(inout) :: self
    integer, intent(in) :: comm
    integer, intent(in) :: cells(:)
    logical, intent(in), optional :: periodic(:)
    character(*), intent(in), optional :: north_fold
    integer, intent(in), optional :: blocks(:)
    character(*), intent(in), optional :: numbering
    type(lapwing_face_set), intent(in), optional :: faces
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: parts(3)
    type(c_connection), allocatable, target :: connections(:)
    type(c_grid) :: grid
    type(c_ptr) :: given
    integer(c_int) :: code

    given = c_null_ptr
    parts = 1
    if (present(blocks)) then
      parts(1:size(blocks)) = blocks
      given = c_loc(parts)
    end if
    grid = grid_of(cells, periodic, north_fold)
    if (present(faces)) then
      connections = faces%connections
      grid%faces = int(faces%count, c_int)
      grid%connection_count = size(connections, kind=c_int)
      grid%connections = c_loc(connections)
    end if
    code = c_domain_create(int(comm, c_int), grid, given, self%handle)
    call self%found(code, cells, numbering, stat, errmsg)
  end subroutine

  !> Boxes around the wet cells of the grid, with about as many of them for every rank. wet: where there is water, on the
  !> whole grid, the same on all ranks. costs: of a wet and a dry point, of a wet halo point that comes from another node
  !> and from another rank of the node, and of a message, relative to each other: [1, 0.05, 5, 1, 0] unless said. width: of
  !> halos, in cells, two unless said. ranks_per_node: one unless said; nodes_first: cuts between nodes first, through
  !> little water. speeds: of the ranks, relative to each other. assigned: small wet blocks along a curve, several for each
  !> rank, instead of one box; kernels then get their arrays, see step%stage_of_views. Collective; up to half a minute for a thousand ranks.
  subroutine create_masked(self, comm, wet, periodic, north_fold, numbering, costs, width, ranks_per_node, nodes_first, &
                           speeds, assigned, stat, errmsg)
    class(lapwing_domain), intent(inout) :: self
    integer, intent(in) :: comm
    logical, intent(in) :: wet(:, :)
    logical, intent(in), optional :: periodic(:)
    character(*), intent(in), optional :: north_fold
    character(*), intent(in), optional :: numbering
    real(real64), intent(in), optional :: costs(5), speeds(:)
    integer, intent(in), optional :: width, ranks_per_node
    logical, intent(in), optional :: nodes_first, assigned
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int8_t), allocatable, target :: water(:, :)
    real(c_double), allocatable, target :: of_ranks(:)
    type(c_partition_costs) :: machine
    integer(c_int) :: code

    allocate (water(size(wet, 1), size(wet, 2)))
    water = merge(1_c_int8_t, 0_c_int8_t, wet)
    if (present(costs)) machine%coefficients = costs
    if (present(width)) machine%width = int(width, c_int)
    if (present(ranks_per_node)) machine%ranks_per_node = int(ranks_per_node, c_int)
    if (present(assigned)) self%assigned = assigned
    machine%assigned = merge(1_c_int, 0_c_int, self%assigned)
    if (self%assigned .and. present(numbering)) then
      if (numbering == 'local') then
        call complain("numbering of a domain: got 'local' with assigned blocks; expected 'global', as a rank owns "// &
                      "several boxes; leave it out", stat, errmsg)
        return
      end if
    end if
    if (present(nodes_first)) machine%nodes_first = merge(1_c_int, 0_c_int, nodes_first)
    if (present(speeds)) then
      allocate (of_ranks(max(1, size(speeds))))  ! none has no address
      of_ranks(:size(speeds)) = speeds
      machine%speed_count = size(speeds, kind=c_int)
      machine%speeds = c_loc(of_ranks)
    end if
    code = c_domain_create_masked_by(int(comm, c_int), grid_of(shape(wet), periodic, north_fold), c_loc(water), machine, &
                                     self%handle)
    call self%found(code, shape(wet), numbering, stat, errmsg)
  end subroutine

  !> Steps that are made from now on leave out land in fields that are constant there: stages do not compute it, messages
  !> carry it as `messages` says: 'off', 'clip', 'patches', 'lists' or, unless said, 'auto'. wet: as in create_masked.
  !> Local, the same on all ranks.
  subroutine set_land(self, wet, messages, stat, errmsg)
    class(lapwing_domain), intent(inout) :: self
    logical, intent(in) :: wet(:, :)
    character(*), intent(in), optional :: messages
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int8_t), allocatable, target :: water(:, :)
    character(:), allocatable :: form

    if (.not. known_domain(self, stat, errmsg)) return
    if (any(shape(wet) /= self%size(1:2))) then
      call complain("wet: got another shape than the grid; expected one value for each cell from above; pass the "// &
                    "mask of the whole grid", stat, errmsg)
      return
    end if
    form = 'auto'
    if (present(messages)) form = messages
    allocate (water(size(wet, 1), size(wet, 2)))
    water = merge(1_c_int8_t, 0_c_int8_t, wet)
    call settle(c_domain_set_land(self%handle, c_loc(water), c_text(form)), stat, errmsg)
  end subroutine

  !> The decomposition that a model has: its cells first(axis) to last(axis) of the whole grid, counted from 1, are this
  !> rank's; last < first: it has none. Collective.
  subroutine create_from_cells(self, comm, cells, first, last, periodic, north_fold, numbering, stat, errmsg)
    class(lapwing_domain), intent(inout) :: self
    integer, intent(in) :: comm
    integer, intent(in) :: cells(:), first(:), last(:)
    logical, intent(in), optional :: periodic(:)
    character(*), intent(in), optional :: north_fold
    character(*), intent(in), optional :: numbering
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_box) :: mine
    integer(c_int) :: code

    mine%hi = 1
    mine%lo(1:size(first)) = first - 1
    mine%hi(1:size(last)) = last
    code = c_domain_create_from_boxes(int(comm, c_int), grid_of(cells, periodic, north_fold), mine, self%handle)
    call self%found(code, cells, numbering, stat, errmsg)
  end subroutine

  !> Full lines of cells along axis 'x' or 'y' of another domain's grid, with `levels` levels, a z axis here, spread over
  !> the ranks: what a transpose moves fields to for work along that axis. columns: blocks. Collective.
  subroutine create_lines(self, columns, axis, levels, stat, errmsg)
    class(lapwing_domain), intent(inout) :: self
    class(lapwing_domain), intent(in) :: columns
    character, intent(in) :: axis
    integer, intent(in) :: levels
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code

    if (.not. known_domain(columns, stat, errmsg)) return
    code = c_domain_create_lines(columns%handle, int(index('xy', axis), c_int) - 1_c_int, int(levels, c_int), &
                                 self%handle)
    call self%found(code, [columns%size(1:2), levels], 'global', stat, errmsg)
  end subroutine

  pure function grid_of(cells, periodic, north_fold) result(grid)
    integer, intent(in) :: cells(:)
    logical, intent(in), optional :: periodic(:)
    character(*), intent(in), optional :: north_fold
    type(c_grid) :: grid

    grid%size(1:min(3, size(cells))) = cells(1:min(3, size(cells)))
    if (present(periodic)) grid%periodic(1:size(periodic)) = merge(1_c_int, 0_c_int, periodic)
    if (present(north_fold)) grid%north_fold = fold_number(north_fold)
  end function

  !> The number of the C interface; -1, which lapwing refuses, for another word.
  pure integer(c_int) function fold_number(name)
    character(*), intent(in) :: name

    select case (name)
    case ('none')
      fold_number = 0
    case ('T')
      fold_number = 1
    case ('F')
      fold_number = 2
    case default
      fold_number = -1
    end select
  end function

  !> The box that the new domain gives this rank, in the model's indices.
  subroutine found(self, code, cells, numbering, stat, errmsg)
    class(lapwing_domain), intent(inout) :: self
    integer(c_int), intent(in) :: code
    integer, intent(in) :: cells(:)
    character(*), intent(in), optional :: numbering
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_box) :: box
    integer(c_int) :: asked

    call settle(code, stat, errmsg)
    if (code /= 0) return
    self%rank = c_domain_rank(self%handle)
    self%ranks = c_domain_ranks(self%handle)
    self%size(1:size(cells)) = cells
    if (allocated(self%fields)) deallocate (self%fields)
    allocate (self%fields(0))
    if (c_domain_boxes(self%handle) == 0) return
    asked = c_domain_box(self%handle, 0_c_int, box)
    self%shift = 1
    if (present(numbering)) then
      if (numbering == 'local') then
        self%shift = int(1 - box%lo)
      else if (numbering /= 'global') then
        call complain("numbering of a domain: got '"//numbering//"'; expected 'global' or 'local'; "// &
                      "leave it out for indices of the whole grid", stat, errmsg)
      end if
    end if
    self%i1 = int(box%lo(1)) + self%shift(1)
    self%j1 = int(box%lo(2)) + self%shift(2)
    self%k1 = int(box%lo(3)) + self%shift(3)
    self%i2 = int(box%hi(1)) + self%shift(1) - 1
    self%j2 = int(box%hi(2)) + self%shift(2) - 1
    self%k2 = int(box%hi(3)) + self%shift(3) - 1
  end subroutine

  !> How many boxes this rank owns: one or none, unless create_masked has assigned several. Local.
  pure integer function boxes(self)
    class(lapwing_domain), intent(in) :: self

    boxes = int(c_domain_boxes(self%handle))
  end function

  !> The cells of box number `number` of this rank, from 1 to boxes(). Local.
  type(lapwing_box) function box(self, number, stat, errmsg)
    class(lapwing_domain), intent(in) :: self
    integer, intent(in) :: number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_box) :: cells
    integer :: lo(3), hi(3)

    call settle(c_domain_box(self%handle, int(number - 1, c_int), cells), stat, errmsg)
    lo = int(cells%lo) + self%shift
    hi = int(cells%hi) + self%shift - 1
    box = lapwing_box(lo(1), hi(1), lo(2), hi(2), lo(3), hi(3))
  end function

  !> True if this rank has no cells. Local.
  pure logical function is_empty(self)
    class(lapwing_domain), intent(in) :: self

    is_empty = self%i2 < self%i1
  end function

  !> result: the 'minimum', 'maximum' or 'sum' of the numbers `mine` of all ranks, on all ranks, NaN where one is; a sum is
  !> exact and rounded once: the same bits on any number of ranks. Collective, one reduction.
  subroutine reduce(self, kind, mine, result, stat, errmsg)
    class(lapwing_domain), intent(in) :: self
    character(*), intent(in) :: kind
    real(real64), intent(in) :: mine
    real(real64), intent(out) :: result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    result = 0
    if (.not. known_domain(self, stat, errmsg)) return
    if (reduction_number(kind) < 0) then
      call complain("kind of a reduction: got '"//kind//"'; expected 'minimum', 'maximum' or 'sum'; pass one of these", &
                    stat, errmsg)
      return
    end if
    call settle(c_domain_reduce(self%handle, reduction_number(kind), mine, result), stat, errmsg)
  end subroutine

  !> Frees its communicators; nothing on it can be started then. Collective, before MPI_Finalize.
  subroutine close(self, stat, errmsg)
    class(lapwing_domain), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(c_domain_close(self%handle), stat, errmsg)
  end subroutine

  !> Frees this field with the domain. Local.
  subroutine keep(self, field)
    class(lapwing_domain), intent(inout) :: self
    type(c_ptr), intent(in) :: field

    self%fields = [self%fields, field]
  end subroutine

  !> True if the domain has been created; an error if it has not. Local.
  logical function known_domain(domain, stat, errmsg)
    class(lapwing_domain), intent(in) :: domain
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    known_domain = c_associated(domain%handle)
    if (.not. known_domain) call complain("domain: got one that was not created; expected a domain on all ranks; "// &
                                          "call domain%create first", stat, errmsg)
  end function

  subroutine free(self)
    type(lapwing_domain), intent(inout) :: self
    integer :: n

    if (allocated(self%fields)) then
      do n = 1, size(self%fields)
        call c_field_free(self%fields(n))
      end do
      deallocate (self%fields)
    end if
    call c_domain_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module lapwing_domains
