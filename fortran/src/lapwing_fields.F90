!> Fields: arrays of a model on the cells of a domain.
module lapwing_fields
  use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_char, c_f_pointer, c_int, c_int64_t, c_loc, &
                                         c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use lapwing_c, only: c_block, c_box, c_field_allocate, c_field_block, c_field_declare, c_field_describe, c_field_gather, &
                       c_field_modified, c_field_reduce, c_field_spec, c_field_wrap, lapwing_extent
  use lapwing_domains, only: known_domain, lapwing_domain
  use lapwing_errors, only: c_text, complain, reduction_number, settle
  use lapwing_faces, only: name_pair, text_of_c
  implicit none
  private
  public :: lapwing_field, lapwing_real32, lapwing_real64, lapwing_int32, lapwing_bool, lapwing_logical, array_layout, &
            handles_of, lay_out

  !> Types of values: real(real32), real(real64), integer(int32), logical(c_bool), of one byte, and logical.
  integer, parameter :: lapwing_real32 = 0, lapwing_real64 = 1, lapwing_int32 = 2, lapwing_bool = 4, lapwing_logical = 5
  !> A default logical travels as an integer of its size.
  integer, parameter :: of_logical = merge(lapwing_int32, 3, storage_size(.true.) == 32)

  !> The contents of an array with bounds of its own: its cells, strides in values, levels and components.
  type :: array_layout
    type(c_box) :: allocated
    integer(c_int64_t) :: strides(4) = 1
    integer :: levels = 0, components = 1
  end type

  !> A field, freed with its domain; copies are the same field.
  type :: lapwing_field
    type(c_ptr) :: handle = c_null_ptr
    integer :: shift(3) = 1
    integer :: cells(3) = 1
    integer :: rank = -1, components = 1
    integer :: type = lapwing_real64
    logical :: flat = .true.  ! true if the grid has two axes
    character(:), allocatable :: name, axes
    type(c_ptr) :: address = c_null_ptr
    integer, allocatable :: bounds(:)
  contains
    procedure, private :: wrap_real32, wrap_real64, wrap_int32, wrap_bool, wrap_logical
    procedure, private :: check_real32, check_real64, check_int32, check_bool, check_logical
    procedure, private :: get_real32_2, get_real32_3, get_real32_4
    procedure, private :: get_real64_2, get_real64_3, get_real64_4
    procedure, private :: get_int32_2, get_int32_3, get_int32_4, get_bool_2, get_bool_3, get_bool_4
    procedure, private :: get_logical_2, get_logical_3, get_logical_4
    procedure, private :: gather_real32_2, gather_real32_3, gather_real64_2, gather_real64_3
    procedure, private :: gather_int32_2, gather_int32_3, gather_bool_2, gather_bool_3
    procedure, private :: gather_logical_2, gather_logical_3
    procedure, private :: place, wrap_memory, memory, known, require_unmoved
    !> call field%wrap(domain, name, array, ...): an array of the model, a target or a pointer with its own lower bounds.
    generic :: wrap => wrap_real32, wrap_real64, wrap_int32, wrap_bool, wrap_logical
    !> call field%check_array(array): an error where the array has been deallocated, or allocated again, since it was
    !> wrapped. Local.
    generic :: check_array => check_real32, check_real64, check_int32, check_bool, check_logical
    !> call field%get(array): a pointer, in the model's indices, to this rank's memory; box=n: of its box number n.
    generic :: get => get_real32_2, get_real32_3, get_real32_4, get_real64_2, get_real64_3, get_real64_4, &
               get_int32_2, get_int32_3, get_int32_4, get_bool_2, get_bool_3, get_bool_4, get_logical_2, &
               get_logical_3, get_logical_4
    !> call field%gather(values): the whole grid on rank 0, an empty array elsewhere. Collective.
    generic :: gather => gather_real32_2, gather_real32_3, gather_real64_2, gather_real64_3, gather_int32_2, &
               gather_int32_3, gather_bool_2, gather_bool_3, gather_logical_2, gather_logical_3
    procedure :: declare
    procedure :: allocate => allocate_memory
    procedure :: describe
    procedure :: modified
    procedure :: reduce
  end type

contains

  !> A field whose memory lapwing allocates, in the first step that uses it, with the halo that its stages need. type:
  !> lapwing_real64 unless said, lapwing_real32, lapwing_int32, lapwing_bool or lapwing_logical; location: 'center',
  !> 'xface', 'yface' or 'corner'; levels: length of an axis that is not cut; axes, constant_on_land, vector, pair,
  !> frame: as in wrap. halo: at least. component_extents: how far each component is read around a cell; for a field
  !> that a stage scatters, the offsets at which components are written. Local; call it on all ranks.
  subroutine declare(self, domain, name, type, location, levels, components, axes, halo, constant_on_land, vector, pair, &
                     frame, component_extents, stat, errmsg)
    class(lapwing_field), intent(inout) :: self
    class(lapwing_domain), intent(inout) :: domain
    character(*), intent(in) :: name
    integer, intent(in), optional :: type, levels, components
    character(*), intent(in), optional :: location, axes
    type(lapwing_extent), intent(in), optional :: halo
    logical, intent(in), optional :: constant_on_land, vector, frame
    character(*), intent(in), optional :: pair(2)
    type(lapwing_extent), intent(in), optional :: component_extents(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: text(:)
    type(text_of_c), target :: names(2)
    type(lapwing_extent), allocatable, target :: reach(:)
    type(c_field_spec) :: spec
    integer(c_int) :: code

    if (.not. known_domain(domain, stat, errmsg)) return
    self%axes = 'xyzc'
    if (present(axes)) self%axes = axes
    if (present(type)) self%type = type
    if (present(levels)) spec%levels = levels
    if (present(components)) spec%components = components
    if (present(halo)) spec%halo = halo
    if (present(constant_on_land)) spec%constant_on_land = merge(1_c_int, 0_c_int, constant_on_land)
    if (present(component_extents)) then
      if (size(component_extents) /= spec%components) then
        call complain("component_extents of field "//name//": got another number; expected components=; give these", stat, errmsg)
        return
      end if
      reach = component_extents
      spec%component_extents = c_loc(reach)
    end if
    text = c_text(name)
    call self%place(domain, name, text, location, vector, frame, spec)
    call name_pair(pair, names, spec)
    code = c_field_declare(domain%handle, spec, self%handle)
    if (code == 0) call domain%keep(self%handle)
    call settle(code, stat, errmsg)
  end subroutine

  !> Gives a declared field memory without a step, with the halo that it was declared with. Local; call it on all ranks.
  subroutine allocate_memory(self, stat, errmsg)
    class(lapwing_field), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (self%known(stat, errmsg)) call settle(c_field_allocate(self%handle), stat, errmsg)
  end subroutine

  !> Gives the field its unit, '1' unless said, and its CF names for files; without a long name, its name. Local.
  subroutine describe(self, units, long_name, standard_name, stat, errmsg)
    class(lapwing_field), intent(in) :: self
    character(*), intent(in), optional :: units, long_name, standard_name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (self%known(stat, errmsg)) call settle(c_field_describe(self%handle, text_or(units, '1'), text_or(long_name, ''), &
                                                               text_or(standard_name, '')), stat, errmsg)
  end subroutine

  !> A text for C, or another one where it is not said.
  pure function text_or(text, otherwise) result(copy)
    character(*), intent(in), optional :: text
    character(*), intent(in) :: otherwise
    character(kind=c_char), allocatable :: copy(:)

    if (present(text)) then
      copy = c_text(text)
    else
      copy = c_text(otherwise)
    end if
  end function

  !> Says that something other than a step wrote the field: its halo is stale. Local; call it on all ranks.
  subroutine modified(self, stat, errmsg)
    class(lapwing_field), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (self%known(stat, errmsg)) call settle(c_field_modified(self%handle), stat, errmsg)
  end subroutine

  !> result: the 'minimum', 'maximum' or 'sum' of the values in all cells of the grid, each level and component, on all
  !> ranks; NaN where one is. A sum is exact and rounded once: the same bits on any number of ranks. Collective.
  subroutine reduce(self, kind, result, stat, errmsg)
    class(lapwing_field), intent(in) :: self
    character(*), intent(in) :: kind
    real(real64), intent(out) :: result
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    result = 0
    if (.not. self%known(stat, errmsg)) return
    if (reduction_number(kind) < 0) then
      call complain("kind of a reduction: got '"//kind//"'; expected 'minimum', 'maximum' or 'sum'; pass one of these", &
                    stat, errmsg)
      return
    end if
    call settle(c_field_reduce(self%handle, reduction_number(kind), result), stat, errmsg)
  end subroutine

  !> Takes over what the model says of the field and how it counts cells.
  subroutine place(self, domain, name, text, location, vector, frame, spec)
    class(lapwing_field), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    character(*), intent(in) :: name
    character(kind=c_char), intent(in), target :: text(:)
    character(*), intent(in), optional :: location
    logical, intent(in), optional :: vector, frame
    type(c_field_spec), intent(inout) :: spec
    integer :: n, last

    self%name = name
    self%shift = domain%shift
    self%flat = domain%size(3) == 1
    if (self%flat) self%shift(3) = 1
    self%cells = domain%size
    if (spec%levels > 0) self%cells(3) = spec%levels
    self%rank = domain%rank
    self%components = spec%components
    spec%name = c_loc(text)
    spec%type = int(merge(of_logical, self%type, self%type == lapwing_logical), c_int)
    if (present(location)) spec%location = int(location_number(location), c_int)
    if (present(vector)) spec%vector = merge(1_c_int, 0_c_int, vector)
    if (present(frame)) spec%frame = merge(1_c_int, 0_c_int, frame)
    do n = 1, len(self%axes)
      spec%order(n) = axis_number(self%axes(n:n))
    end do
    last = len(self%axes)
    do n = 0, 3
      if (any(spec%order(1:last) == n)) cycle
      last = last + 1
      spec%order(last) = n
    end do
  end subroutine

  !> Returns what C knows the fields by.
  function handles_of(fields) result(handles)
    type(lapwing_field), intent(in) :: fields(:)
    type(c_ptr) :: handles(size(fields))
    integer :: n

    do n = 1, size(fields)
      handles(n) = fields(n)%handle
    end do
  end function

  !> 0 to 3; -1, which lapwing refuses, for another word.
  pure integer function location_number(name)
    character(*), intent(in) :: name

    select case (name)
    case ('center')
      location_number = 0
    case ('xface')
      location_number = 1
    case ('yface')
      location_number = 2
    case ('corner')
      location_number = 3
    case default
      location_number = -1
    end select
  end function

  pure integer function axis_number(letter)
    character, intent(in) :: letter

    axis_number = index('xyzc', letter) - 1
  end function

  !> Makes a field of an array with these bounds: `lower`, `upper` and strides, in values, of its axes.
  subroutine wrap_memory(self, domain, name, data, lower, upper, contiguous, location, axes, halo, constant_on_land, &
                         vector, pair, frame, stat, errmsg)
    class(lapwing_field), intent(inout) :: self
    class(lapwing_domain), intent(inout) :: domain
    character(*), intent(in) :: name
    type(c_ptr), intent(in) :: data
    integer, intent(in) :: lower(:), upper(:)
    logical, intent(in) :: contiguous
    character(*), intent(in), optional :: location, axes
    type(lapwing_extent), intent(in), optional :: halo
    logical, intent(in), optional :: constant_on_land, vector, frame
    character(*), intent(in), optional :: pair(2)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: text(:)
    type(text_of_c), target :: names(2)
    type(c_field_spec) :: spec
    type(array_layout) :: layout
    integer(c_int) :: code

    if (.not. known_domain(domain, stat, errmsg)) return
    self%axes = 'xyzc'
    self%axes = self%axes(1:min(size(lower), 4))
    if (present(axes)) self%axes = axes
    if (.not. fits_axes(self%axes, size(lower))) then
      call complain("axes of field "//name//": got '"//self%axes//"'; expected a letter out of x, y, z and c "// &
                    "for each dimension of the array, x and y among them; name them fastest first", stat, errmsg)
      return
    end if
    if (.not. contiguous) then
      call complain("array of field "//name//": got a slice with gaps; expected a contiguous array; "// &
                    "pass the whole array, or copy the slice", stat, errmsg)
      return
    end if
    if (.not. holds_cells(domain, name, self%axes, lower, upper, stat, errmsg)) return
    layout = lay_out(self%axes, domain%shift, domain%size(3) == 1, lower, upper)
    spec%levels = int(layout%levels, c_int)
    spec%components = int(layout%components, c_int)
    text = c_text(name)
    call self%place(domain, name, text, location, vector, frame, spec)
    call name_pair(pair, names, spec)
    spec%halo = halo_of(domain, layout%allocated)
    if (present(halo)) spec%halo = halo
    if (present(constant_on_land)) spec%constant_on_land = merge(1_c_int, 0_c_int, constant_on_land)
    code = c_field_wrap(domain%handle, spec, data, layout%allocated, layout%strides, self%handle)
    if (code == 0) call domain%keep(self%handle)
    call settle(code, stat, errmsg)
  end subroutine

  !> The layout of a contiguous array with these bounds, whose dimensions are `axes`, where indices are the grid's and
  !> `shift`; flat: a dimension z is levels.
  pure type(array_layout) function lay_out(axes, shift, flat, lower, upper) result(layout)
    character(*), intent(in) :: axes
    integer, intent(in) :: shift(3), lower(:), upper(:)
    logical, intent(in) :: flat
    integer(c_int64_t) :: stride
    integer :: n, axis, length

    layout%allocated%lo = 0
    layout%allocated%hi = 1
    stride = 1
    do n = 1, size(lower)
      axis = axis_number(axes(n:n)) + 1
      length = upper(n) - lower(n) + 1
      layout%strides(axis) = stride
      stride = stride * length
      if (axis == 4) then
        layout%components = length
      else if (axis == 3 .and. flat) then
        layout%levels = length
        layout%allocated%hi(3) = length
      else
        layout%allocated%lo(axis) = lower(n) - shift(axis)
        layout%allocated%hi(axis) = upper(n) + 1 - shift(axis)
      end if
    end do
  end function

  !> True if the array holds all cells of this rank; an error if it does not.
  logical function holds_cells(domain, name, axes, lower, upper, stat, errmsg)
    class(lapwing_domain), intent(in) :: domain
    character(*), intent(in) :: name, axes
    integer, intent(in) :: lower(:), upper(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: n, axis, first(4), last(4)
    character(200) :: bounds

    holds_cells = .true.
    if (domain%is_empty()) return
    first = [domain%i1, domain%j1, domain%k1, 0]
    last = [domain%i2, domain%j2, domain%k2, 0]
    do n = 1, size(lower)
      axis = axis_number(axes(n:n)) + 1
      if (axis == 4 .or. (axis == 3 .and. domain%size(3) == 1)) cycle
      if (lower(n) <= first(axis) .and. upper(n) >= last(axis)) cycle
      holds_cells = .false.
      write (bounds, '(3a, i0, a, i0, a, i0, a, i0)') ' along ', axes(n:n), ': got ', lower(n), ':', upper(n), &
        '; expected at least ', first(axis), ':', last(axis)
      call complain("bounds of array "//name//trim(bounds)//", this rank's cells; allocate it with these bounds and "// &
                    "its halo, or say numbering='local' where the domain is created, if each rank counts from 1", &
                    stat, errmsg)
      return
    end do
  end function

  !> True if each dimension of an array has one of the axes.
  pure logical function fits_axes(axes, dimensions)
    character(*), intent(in) :: axes
    integer, intent(in) :: dimensions
    integer :: n

    fits_axes = len(axes) == dimensions .and. verify(axes, 'xyzc') == 0 .and. scan(axes, 'x') > 0 .and. &
                scan(axes, 'y') > 0
    do n = 1, len(axes) - 1
      fits_axes = fits_axes .and. scan(axes(n + 1:), axes(n:n)) == 0
    end do
  end function

  !> The halo of an array: its cells around the cells of its rank.
  pure type(lapwing_extent) function halo_of(domain, allocated) result(halo)
    class(lapwing_domain), intent(in) :: domain
    type(c_box), intent(in) :: allocated
    integer :: first(3), last(3), axes

    if (domain%is_empty()) return
    first = [domain%i1, domain%j1, domain%k1]
    last = [domain%i2, domain%j2, domain%k2]
    axes = merge(2, 3, domain%size(3) == 1)
    halo%lo(1:axes) = int(first(1:axes) - domain%shift(1:axes) - allocated%lo(1:axes), c_int)
    halo%hi(1:axes) = int(allocated%hi(1:axes) - 1 - last(1:axes) + domain%shift(1:axes), c_int)
  end function

  !> True if the field has been made; an error if it has not.
  logical function known(self, stat, errmsg)
    class(lapwing_field), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    known = c_associated(self%handle)
    if (.not. known) call complain("field: got one without memory or name; expected a field of a domain; "// &
                                   "call field%wrap or field%declare first", stat, errmsg)
  end function

  !> An error where the array of a field is another one by now.
  subroutine require_unmoved(self, same, stat, errmsg)
    class(lapwing_field), intent(in) :: self
    logical, intent(in) :: same
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. self%known(stat, errmsg)) return
    if (present(stat)) stat = 0
    if (.not. same) call complain("array of field "//self%name//": got one that was freed, moved or changed its bounds; "// &
                                  "expected the array that was wrapped, where it was; wrap it again, and create its "// &
                                  "exchanges and steps again", stat, errmsg)
  end subroutine

  !> Address, lower bounds and lengths of the memory that lapwing allocated, for an array of this type and rank.
  subroutine memory(self, type, lower, lengths, data, stat, errmsg, box)
    class(lapwing_field), intent(in) :: self
    integer, intent(in) :: type
    integer, intent(out) :: lower(:), lengths(:)
    type(c_ptr), intent(out) :: data
    integer, intent(in), optional :: box
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_block) :: block
    integer(c_int) :: code
    integer :: n, axis, of_axis(4), number

    lower = 1
    lengths = 0
    data = c_null_ptr
    if (.not. self%known(stat, errmsg)) return
    if (type /= self%type .or. size(lower) > len(self%axes)) then
      call complain("pointer to field "//self%name//": got another type, or more dimensions than it has axes; "// &
                    "expected those that it was declared with; declare the pointer likewise", stat, errmsg)
      return
    end if
    number = 0
    if (present(box)) number = box - 1
    code = c_field_block(self%handle, int(number, c_int), block)
    call settle(code, stat, errmsg)
    if (code /= 0) return
    data = block%data
    do n = 1, size(lower)
      axis = axis_number(self%axes(n:n)) + 1
      of_axis = [int(block%allocated%hi - block%allocated%lo), self%components]
      lengths(n) = of_axis(axis)
      if (axis < 4) lower(n) = int(block%allocated%lo(axis)) + self%shift(axis)
    end do
  end subroutine

#define TYPE_OF_VALUES real(real32)
#define NUMBER_OF_TYPE lapwing_real32
#define WRAP wrap_real32
#define CHECK_ARRAY check_real32
#define GET2 get_real32_2
#define GET3 get_real32_3
#define GET4 get_real32_4
#define GATHER2 gather_real32_2
#define GATHER3 gather_real32_3
#include "lapwing_array.inc"

#define TYPE_OF_VALUES real(real64)
#define NUMBER_OF_TYPE lapwing_real64
#define WRAP wrap_real64
#define CHECK_ARRAY check_real64
#define GET2 get_real64_2
#define GET3 get_real64_3
#define GET4 get_real64_4
#define GATHER2 gather_real64_2
#define GATHER3 gather_real64_3
#include "lapwing_array.inc"

#define TYPE_OF_VALUES integer(int32)
#define NUMBER_OF_TYPE lapwing_int32
#define WRAP wrap_int32
#define CHECK_ARRAY check_int32
#define GET2 get_int32_2
#define GET3 get_int32_3
#define GET4 get_int32_4
#define GATHER2 gather_int32_2
#define GATHER3 gather_int32_3
#include "lapwing_array.inc"

#define TYPE_OF_VALUES logical(c_bool)
#define NUMBER_OF_TYPE lapwing_bool
#define WRAP wrap_bool
#define CHECK_ARRAY check_bool
#define GET2 get_bool_2
#define GET3 get_bool_3
#define GET4 get_bool_4
#define GATHER2 gather_bool_2
#define GATHER3 gather_bool_3
#include "lapwing_array.inc"

#define TYPE_OF_VALUES logical
#define NUMBER_OF_TYPE lapwing_logical
#define WRAP wrap_logical
#define CHECK_ARRAY check_logical
#define GET2 get_logical_2
#define GET3 get_logical_3
#define GET4 get_logical_4
#define GATHER2 gather_logical_2
#define GATHER3 gather_logical_3
#include "lapwing_array.inc"
end module lapwing_fields
