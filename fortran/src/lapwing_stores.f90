!> Records and restarts: fields in stores of chunks (Zarr version 3) that all ranks write and read together.
module lapwing_stores
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_int8_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing_domains, only: known_domain, lapwing_domain
  use lapwing_errors, only: c_text, settle
  use lapwing_fields, only: handles_of, lapwing_field
  implicit none
  private
  public :: lapwing_records, lapwing_restart

  !> Records of fields over time: the same bytes on any number of ranks, as xarray reads them. Do not copy it.
  type :: lapwing_records
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_records
    procedure :: write => write_record
    procedure :: read => read_record
    procedure :: close => close_records
    final :: free_records
  end type

  !> The state of a model, from which any number of ranks goes on bit for bit. Do not copy it.
  type :: lapwing_restart
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_restart
    procedure :: write => write_restart
    procedure :: read => read_restart
    final :: free_restart
  end type

  type, bind(C) :: c_axis
    type(c_ptr) :: values = c_null_ptr
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: units = c_null_ptr, long_name = c_null_ptr, standard_name = c_null_ptr
  end type

  type, bind(C) :: c_record_options
    integer(c_int) :: fixed = 0
    type(c_ptr) :: start = c_null_ptr, title = c_null_ptr
    integer(c_int) :: single_precision = 0
    type(c_ptr) :: wet = c_null_ptr
    integer(c_int) :: keep = 0
    real(c_double) :: keep_until = 0
    type(c_axis) :: x, y
  end type

  interface
    function c_records_create(domain, path, fields, count, options, records) &
        bind(C, name="lapwing_records_create") result(code)
      import :: c_char, c_int, c_ptr, c_record_options
      type(c_ptr), value :: domain
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int), value :: count
      type(c_record_options), intent(in) :: options
      type(c_ptr), intent(out) :: records
      integer(c_int) :: code
    end function

    function c_records_write(records, time, step) bind(C, name="lapwing_records_write") result(code)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: records
      real(c_double), value :: time
      integer(c_int64_t), value :: step
      integer(c_int) :: code
    end function

    function c_records_read(records, time, step) bind(C, name="lapwing_records_read") result(code)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: records
      real(c_double), value :: time
      integer(c_int64_t), intent(out) :: step
      integer(c_int) :: code
    end function

    function c_records_close(records) bind(C, name="lapwing_records_close") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: records
      integer(c_int) :: code
    end function

    subroutine c_records_free(records) bind(C, name="lapwing_records_free")
      import :: c_ptr
      type(c_ptr), value :: records
    end subroutine

    function c_restart_create(domain, path, fields, count, restart) bind(C, name="lapwing_restart_create") result(code)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: domain
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int), value :: count
      type(c_ptr), intent(out) :: restart
      integer(c_int) :: code
    end function

    function c_restart_write(restart, step) bind(C, name="lapwing_restart_write") result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: restart
      integer(c_int64_t), value :: step
      integer(c_int) :: code
    end function

    function c_restart_read(restart, step) bind(C, name="lapwing_restart_read") result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: restart
      integer(c_int64_t), intent(out) :: step
      integer(c_int) :: code
    end function

    subroutine c_restart_free(restart) bind(C, name="lapwing_restart_free")
      import :: c_ptr
      type(c_ptr), value :: restart
    end subroutine
  end interface

contains

  !> Makes a store of records, whose name ends in .zarr; one that has this name stays as NAME.former until close. fixed:
  !> fields that never change; start: the date of time 0, UTC; single: values take 4 bytes; wet: where fields have a
  !> meaning, on the whole grid; x, y: coordinates of the centers of all cells of the grid, in x_units and y_units
  !> ('degrees_east', 'm'); keep_until: goes on behind the records of the store that is there, up to this time, s.
  !> Collective.
  subroutine create_records(self, domain, path, fields, fixed, start, title, single, wet, x, y, x_units, y_units, &
                            keep_until, stat, errmsg)
    class(lapwing_records), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    character(*), intent(in) :: path
    type(lapwing_field), intent(in) :: fields(:)
    type(lapwing_field), intent(in), optional :: fixed(:)
    character(*), intent(in), optional :: start, title
    logical, intent(in), optional :: single, wet(:, :)
    real(real64), intent(in), target, optional :: x(:), y(:)
    character(*), intent(in), optional :: x_units, y_units
    real(real64), intent(in), optional :: keep_until
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_record_options) :: options
    type(lapwing_field), allocatable :: all(:)
    character(kind=c_char), allocatable, target :: texts(:, :)
    integer(c_int8_t), allocatable, target :: water(:, :)

    if (.not. known_domain(domain, stat, errmsg)) return
    allocate (texts(longest(start, title, x_units, y_units), 4))
    if (present(start)) options%start = text_at(texts(:, 1), start)
    if (present(title)) options%title = text_at(texts(:, 2), title)
    if (present(single)) options%single_precision = merge(1_c_int, 0_c_int, single)
    if (present(x)) options%x = axis_of(x)
    if (present(y)) options%y = axis_of(y)
    if (present(x_units)) options%x%units = text_at(texts(:, 3), x_units)
    if (present(y_units)) options%y%units = text_at(texts(:, 4), y_units)
    if (present(wet)) then
      allocate (water(size(wet, 1), size(wet, 2)))
      water = merge(1_c_int8_t, 0_c_int8_t, wet)
      options%wet = c_loc(water)
    end if
    if (present(keep_until)) then
      options%keep = 1
      options%keep_until = keep_until
    end if
    all = fields
    if (present(fixed)) then
      all = [fields, fixed]
      options%fixed = size(fixed, kind=c_int)
    end if
    call settle(c_records_create(domain%handle, c_text(path), handles_of(all), size(all, kind=c_int), options, &
                                 self%handle), stat, errmsg)
  end subroutine

  !> The characters that the longest of some texts needs, with the end that C expects.
  pure integer function longest(a, b, c, d)
    character(*), intent(in), optional :: a, b, c, d

    longest = 0
    if (present(a)) longest = max(longest, len(a))
    if (present(b)) longest = max(longest, len(b))
    if (present(c)) longest = max(longest, len(c))
    if (present(d)) longest = max(longest, len(d))
    longest = longest + 1
  end function

  type(c_ptr) function text_at(place, text)
    character(kind=c_char), intent(out), target :: place(:)
    character(*), intent(in) :: text

    place(1:len_trim(text) + 1) = c_text(text)
    text_at = c_loc(place)
  end function

  type(c_axis) function axis_of(values)
    real(real64), intent(in), target :: values(:)

    axis_of%values = c_loc(values)
    axis_of%count = size(values)
  end function

  !> Adds the present values of the fields as the record of `time`, s since the start; complete or not at all. step: the
  !> number of the record unless said. Collective.
  subroutine write_record(self, time, step, stat, errmsg)
    class(lapwing_records), intent(in) :: self
    real(real64), intent(in) :: time
    integer, intent(in), optional :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: number

    number = -1
    if (present(step)) number = step
    call settle(c_records_write(self%handle, time, number), stat, errmsg)
  end subroutine

  !> Puts the record of `time` into the fields; step: its step. Where a record has no value, as on land, a field keeps
  !> its own; halos are stale. Collective.
  subroutine read_record(self, time, step, stat, errmsg)
    class(lapwing_records), intent(in) :: self
    real(real64), intent(in) :: time
    integer, intent(out), optional :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: number
    integer(c_int) :: code

    number = 0
    code = c_records_read(self%handle, time, number)
    if (present(step)) step = int(number)
    call settle(code, stat, errmsg)
  end subroutine

  !> Removes the store that had this name before, and lets other jobs write there. Collective.
  subroutine close_records(self, stat, errmsg)
    class(lapwing_records), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(c_records_close(self%handle), stat, errmsg)
  end subroutine

  subroutine free_records(self)
    type(lapwing_records), intent(inout) :: self

    call c_records_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> Takes the fields of the state; nothing is written or read. path: a name that ends in .zarr. Collective.
  subroutine create_restart(self, domain, path, fields, stat, errmsg)
    class(lapwing_restart), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    character(*), intent(in) :: path
    type(lapwing_field), intent(in) :: fields(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. known_domain(domain, stat, errmsg)) return
    call settle(c_restart_create(domain%handle, c_text(path), handles_of(fields), size(fields, kind=c_int), &
                                 self%handle), stat, errmsg)
  end subroutine

  !> Writes the state after `step` steps, complete or not at all; the state before stays as NAME.former. Collective.
  subroutine write_restart(self, step, stat, errmsg)
    class(lapwing_restart), intent(in) :: self
    integer, intent(in) :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(c_restart_write(self%handle, int(step, c_int64_t)), stat, errmsg)
  end subroutine

  !> Puts the state into the fields; step: its step. Halos are stale. Collective.
  subroutine read_restart(self, step, stat, errmsg)
    class(lapwing_restart), intent(in) :: self
    integer, intent(out), optional :: step
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: number
    integer(c_int) :: code

    number = 0
    code = c_restart_read(self%handle, number)
    if (present(step)) step = int(number)
    call settle(code, stat, errmsg)
  end subroutine

  subroutine free_restart(self)
    type(lapwing_restart), intent(inout) :: self

    call c_restart_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module lapwing_stores
