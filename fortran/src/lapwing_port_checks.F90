!> The exchanges of a model that has its own: each is made by lapwing and looked at, before a line of its loops changes.
module lapwing_port_checks
  use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_char, c_int, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, int8, real32, real64
  use lapwing_domains, only: lapwing_domain
  use lapwing_errors, only: c_text, complain, settle
  use lapwing_fields, only: lapwing_bool, lapwing_int32, lapwing_logical, lapwing_real32, lapwing_real64
  use lapwing_port_halos, only: all_say, fill, held_by, make_halo, no_array, no_axes, no_cells, port_array, port_halo, &
                                stale_cells, values_of
  use lapwing_port_rows, only: place_of_row, port_row, write_rows
  implicit none
  private
  public :: lapwing_port
  type :: halo_holder
    type(port_halo), pointer :: halo => null()
  end type

  !> Stands behind the calls of a model's own exchanges, makes them by lapwing, and reports which were needless, which
  !> could share a message, and where a halo was stale. One for a model; its report is JSON. Do not copy it.
  type :: lapwing_port
    type(lapwing_domain), pointer, private :: domain => null()
    type(halo_holder), allocatable, private :: halos(:)
    type(port_row), allocatable, private :: rows(:)
    character(:), allocatable, private :: report, leader
    logical, private :: fixed = .false., frame = .false., waited = .true., parted = .false.
    integer, private :: steps = 0, set_up_calls = 0, number = 0, leader_number = 0
    integer(int64), private :: leader_messages = 0
  contains
    procedure, private :: update_real32, update_real64, update_int32, update_bool, update_logical
    procedure, private :: start_real32, start_real64, start_int32, start_bool, start_logical
    procedure, private :: check_real32, check_real64, check_int32, check_bool, check_logical
    procedure, private :: take_call, all_come, all_agree, all_make, halo_of_call, count_update, count_check, look_at_others, ready
    !> call port%update_halo(name, array, width): fills the halo of an array of the model, a target or a pointer,
    !> contiguous, whose lower bounds count as the model counts cells. name: of the field, which tells fields apart.
    !> width: in cells. site: of the call, a text for the report, of rank 0. axes: what the dimensions are, 'xyzc' unless said.
    !> Collective: some reductions, copies of the array.
    generic :: update_halo => update_real32, update_real64, update_int32, update_bool, update_logical
    !> The same without waiting: the halo is as it was until wait_halo. Collective.
    generic :: start_halo => start_real32, start_real64, start_int32, start_bool, start_logical
    !> call port%check_halo(name, array, width): counts halo cells that differ from their owners' values, and changes
    !> none; before a loop that reads the halo. Collective.
    generic :: check_halo => check_real32, check_real64, check_int32, check_bool, check_logical
    procedure :: create
    procedure :: begin_step
    procedure :: wait_halo
    procedure :: finish
  end type

  interface
    function c_require_same(domain, name, value) bind(C, name="lapwing_domain_require_same") result(code)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: domain
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_int) :: code
    end function
  end interface

contains

  !> The decomposition of the model, as domain%create_from_cells takes it, with two axes: cells first(axis) to last(axis)
  !> of the whole grid, from 1, are this rank's. numbering: 'local' where each rank counts its cells from 1. frame: true if
  !> ghost cells beyond closed sides travel too. fixed: true if arrays stay where they are from their first call to
  !> `finish`: then calls see if another field changed since. report: the file, 'port.json' unless said. Collective.
  subroutine create(self, comm, cells, first, last, periodic, north_fold, numbering, frame, fixed, report, stat, errmsg)
    class(lapwing_port), intent(inout) :: self
    integer, intent(in) :: comm
    integer, intent(in) :: cells(:), first(:), last(:)
    logical, intent(in), optional :: periodic(:), frame, fixed
    character(*), intent(in), optional :: north_fold, numbering, report
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(lapwing_domain), pointer :: domain

    if (size(cells) /= 2 .or. size(first) /= 2 .or. size(last) /= 2) then
      call complain("cells of a port: got other than two axes; expected those that are cut, x and y; leave levels out, "// &
                    "which are a dimension of arrays", stat, errmsg)
      return
    end if
    allocate (domain)
    call domain%create_from_cells(comm, cells, first, last, periodic, north_fold, numbering, stat, errmsg)
    if (.not. c_associated(domain%handle)) return
    self%domain => domain
    self%halos = [halo_holder ::]
    allocate (self%rows(0))
    self%report = 'port.json'
    if (present(report)) self%report = report
    if (present(frame)) self%frame = frame
    if (present(fixed)) self%fixed = fixed
  end subroutine

  !> Marks the begin of a time step; calls before the first are the set-up, which the report leaves out. Collective.
  subroutine begin_step(self, stat, errmsg)
    class(lapwing_port), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. self%ready(stat, errmsg)) return
    if (.not. self%all_come('begin_step', stat, errmsg)) return
    self%steps = self%steps + 1
    self%leader_number = 0
  end subroutine

  !> Fills the halo of a field that start_halo has started; does nothing where it is filled. Local.
  subroutine wait_halo(self, name, stat, errmsg)
    class(lapwing_port), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: n
    logical :: known

    if (.not. self%ready(stat, errmsg)) return
    known = .false.
    do n = 1, size(self%halos)
      associate (halo => self%halos(n)%halo)
        if (halo%name /= name .or. halo%call == 'check_halo') cycle
        known = .true.
        if (.not. halo%pending) cycle
        call fill(halo)
        halo%pending = .false.
        self%waited = .true.
      end associate
    end do
    if (present(stat)) stat = 0
    if (.not. known) call complain("wait_halo of field "//name//": got no start of it; expected one; call "// &
                                   "port%start_halo or port%update_halo first", stat, errmsg)
  end subroutine

  !> Writes the report on rank 0, and frees the communicators. Collective, before MPI_Finalize.
  subroutine finish(self, stat, errmsg)
    class(lapwing_port), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64) :: worst
    integer :: status

    if (.not. self%ready(stat, errmsg)) return
    if (.not. self%all_come('finish', stat, errmsg)) return
    status = 0
    if (self%domain%rank == 0) call write_rows(self%report, self%rows, self%domain%ranks, self%steps, self%set_up_calls, &
                                               self%fixed, status)
    call self%domain%reduce('maximum', real(abs(status), real64), worst)
    call self%domain%close(stat, errmsg)
    if (worst > 0) call complain("report of a port: got "//self%report//", which cannot be written; expected a file in "// &
                                 "a folder that is there, on a disk with space; say report=", stat, errmsg)
  end subroutine

  !> True if it has been created, and ranks have made the same calls since; an error if not. Local.
  logical function ready(self, stat, errmsg)
    class(lapwing_port), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    ready = associated(self%domain)
    if (.not. ready) call complain("port: got one that was not created; expected the layout of the model; call "// &
                                   "port%create first", stat, errmsg)
    if (.not. self%parted) return
    ready = .false.
    call complain("port: got a call after ranks had made different ones; expected none; make the same calls of the "// &
                  "port on all ranks", stat, errmsg)
  end function

  !> True if all ranks make this call; an error on all of them if not. Then the port takes no more calls, as ranks that
  !> wait for one may wait for ever: other ranks have taken theirs for it. Collective.
  logical function all_come(self, call, stat, errmsg)
    class(lapwing_port), intent(inout) :: self
    character(*), intent(in) :: call
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    all_come = self%all_agree('calls of a port', call, stat, errmsg)
    self%parted = .not. all_come
  end function

  !> True if this is the same on all ranks; an error on all of them if not. Collective.
  logical function all_agree(self, name, value, stat, errmsg)
    class(lapwing_port), intent(in) :: self
    character(*), intent(in) :: name, value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code

    code = c_require_same(self%domain%handle, c_text(name), c_text(value))
    call settle(code, stat, errmsg)
    all_agree = code == 0
  end function

  !> True if all ranks make this call with arrays that have the halo; an error on all ranks if not. held: ghost cells of
  !> this rank's array, or what is wrong with it. Collective.
  logical function all_make(self, call, name, width, axes, held, stat, errmsg)
    class(lapwing_port), intent(inout) :: self
    character(*), intent(in) :: call, name, axes
    integer, intent(in) :: width, held
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64) :: least_held
    character(12) :: got, expected

    all_make = .false.
    write (got, '(i0)') width
    if (.not. self%all_come(call//' of field '//name, stat, errmsg)) return
    if (.not. self%all_agree('width and axes of the halo of field '//name, 'width '//trim(got)//' of '//axes, stat, &
                             errmsg)) return
    call self%domain%reduce('minimum', real(held, real64), least_held)
    write (expected, '(i0)') int(least_held)
    if (int(least_held) == no_array) then
      call complain("array of field "//name//": got none, or a slice with gaps; expected a contiguous array on all "// &
                    "ranks; pass the whole array", stat, errmsg)
    else if (int(least_held) == no_axes) then
      call complain("array of field "//name//": got dimensions that are not its axes; expected a letter out of x, y, z "// &
                    "and c for each dimension, x and y among them; say axes=", stat, errmsg)
    else if (int(least_held) == no_cells) then
      call complain("array of field "//name//": got one that lacks cells of its rank; expected the cells and their "// &
                    "halo; pass it with its lower bounds, or say numbering='local' in port%create", stat, errmsg)
    else if (width < 0 .or. least_held < width) then
      call complain("halo of field "//name//": got width "//trim(got)//"; expected at most "//trim(expected)// &
                    ", the ghost cells of the array; pass a smaller width, or a wider array", stat, errmsg)
    else
      all_make = .true.
    end if
  end function

  !> A call of the model for the halo of a field. Collective.
  subroutine take_call(self, call, name, array, width, site, axes, stat, errmsg)
    class(lapwing_port), intent(inout) :: self
    character(*), intent(in) :: call, name
    type(port_array), intent(in) :: array
    integer, intent(in) :: width
    character(*), intent(in), optional :: site, axes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(port_halo), pointer :: halo
    character(:), allocatable :: order, place
    integer(int64) :: cells

    if (.not. self%ready(stat, errmsg)) return
    order = 'xyzc'
    if (allocated(array%lower)) order = order(:min(4, size(array%lower)))
    if (present(axes)) order = axes
    place = ''
    if (present(site)) place = site
    if (.not. self%all_make(call, name, width, order, held_by(self%domain, array, order), stat, errmsg)) return
    halo => self%halo_of_call(call, name, array, width, order)
    if (.not. all_say(self%domain, .not. halo%pending)) then
      call complain(call//" of field "//name//": got a second start; expected one at a time; call port%wait_halo "// &
                    "between them, on all ranks", stat, errmsg)
      return
    end if
    halo%array = array
    self%number = self%number + 1
    if (self%fixed .and. call /= 'check_halo') call self%look_at_others()
    cells = stale_cells(self%domain, halo)
    if (self%steps == 0) self%set_up_calls = self%set_up_calls + 1
    if (call == 'check_halo') then
      if (self%steps > 0) call self%count_check(halo, place, cells)
      return
    end if
    halo%pending = .true.
    if (self%steps > 0) call self%count_update(halo, place, cells)
    if (call == 'update_halo') call self%wait_halo(name, stat, errmsg)
  end subroutine

  !> The halo of a field for calls of this kind, which is made where there is none for this shape. Collective.
  function halo_of_call(self, call, name, array, width, axes) result(halo)
    class(lapwing_port), intent(inout) :: self
    character(*), intent(in) :: call, name, axes
    type(port_array), intent(in) :: array
    integer, intent(in) :: width
    type(port_halo), pointer :: halo
    integer :: n
    logical :: same

    do n = 1, size(self%halos)
      halo => self%halos(n)%halo
      if (halo%call /= call .or. halo%name /= name .or. halo%width /= width .or. halo%axes /= axes) cycle
      same = halo%array%type == array%type
      if (same .and. .not. self%domain%is_empty()) same = all(halo%array%lower == array%lower) .and. &
                                                          all(halo%array%upper == array%upper)
      if (all_say(self%domain, same)) return
    end do
    allocate (halo)
    halo%call = call
    halo%name = name
    halo%axes = axes
    halo%width = width
    halo%array = array
    self%halos = [self%halos, halo_holder(halo)]
    call make_halo(self%domain, self%frame, halo)
  end function

  !> Notes for each field if its owned values are what they were at the call before.
  subroutine look_at_others(self)
    class(lapwing_port), intent(inout) :: self
    integer(int8), pointer :: values(:, :)
    integer :: n

    do n = 1, size(self%halos)
      associate (halo => self%halos(n)%halo)
        if (halo%call == 'check_halo' .or. size(halo%owned) == 0) cycle
        values => values_of(halo)
        if (all(values(:, halo%owned) == halo%last)) cycle
        halo%last = values(:, halo%owned)
        halo%since = self%number
      end associate
    end do
  end subroutine

  !> Counts an exchange: needless where it changed nothing, else it joins the one before or begins a group.
  subroutine count_update(self, halo, site, cells)
    class(lapwing_port), intent(inout) :: self
    type(port_halo), intent(inout) :: halo
    character(*), intent(in) :: site
    integer(int64), intent(in) :: cells
    logical :: joins
    integer :: n

    n = place_of_row(self%rows, halo%call, halo%name, site, halo%width)
    joins = .not. self%waited .or. merge(halo%since, self%number, self%fixed) <= self%leader_number
    joins = all_say(self%domain, joins .or. self%domain%is_empty()) .and. self%leader_number > 0
    associate (row => self%rows(n))
      row%calls = row%calls + 1
      row%fills = halo%fills
      row%messages = halo%messages
      row%bytes = halo%bytes
      row%most_cells = max(row%most_cells, cells)
      if (cells == 0) then
        row%needless = row%needless + 1
      else if (joins) then
        row%combined = row%combined + 1
        row%saved = row%saved + min(halo%messages, self%leader_messages)
        if (row%with == '') row%with = self%leader
      else
        self%leader = halo%name
        self%leader_number = self%number
        self%leader_messages = halo%messages
        self%waited = .false.
      end if
    end associate
  end subroutine

  !> Counts a check, and its values that were not those of their owners.
  subroutine count_check(self, halo, site, cells)
    class(lapwing_port), intent(inout) :: self
    type(port_halo), intent(in) :: halo
    character(*), intent(in) :: site
    integer(int64), intent(in) :: cells
    integer :: n

    n = place_of_row(self%rows, halo%call, halo%name, site, halo%width)
    associate (row => self%rows(n))
      row%calls = row%calls + 1
      row%fills = halo%fills
      row%most_cells = max(row%most_cells, cells)
      if (cells == 0) return
      if (row%stale == 0) row%first_step = self%steps
      row%stale = row%stale + 1
    end associate
  end subroutine

#define TYPE_OF_VALUES real(real32)
#define NUMBER_OF_TYPE lapwing_real32
#define SEEN seen_real32
#define UPDATE update_real32
#define START start_real32
#define CHECK check_real32
#include "lapwing_port_array.inc"

#define TYPE_OF_VALUES real(real64)
#define NUMBER_OF_TYPE lapwing_real64
#define SEEN seen_real64
#define UPDATE update_real64
#define START start_real64
#define CHECK check_real64
#include "lapwing_port_array.inc"

#define TYPE_OF_VALUES integer(int32)
#define NUMBER_OF_TYPE lapwing_int32
#define SEEN seen_int32
#define UPDATE update_int32
#define START start_int32
#define CHECK check_int32
#include "lapwing_port_array.inc"

#define TYPE_OF_VALUES logical(c_bool)
#define NUMBER_OF_TYPE lapwing_bool
#define SEEN seen_bool
#define UPDATE update_bool
#define START start_bool
#define CHECK check_bool
#include "lapwing_port_array.inc"

#define TYPE_OF_VALUES logical
#define NUMBER_OF_TYPE lapwing_logical
#define SEEN seen_logical
#define UPDATE update_logical
#define START start_logical
#define CHECK check_logical
#include "lapwing_port_array.inc"
end module lapwing_port_checks
