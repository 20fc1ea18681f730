!> Exchanges: halos of some fields, filled when the model says so.
module lapwing_exchanges
  use, intrinsic :: iso_c_binding, only: c_bool, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use lapwing_c, only: c_exchange_create, c_exchange_create_for_arrays, c_exchange_free, c_exchange_run, &
                       c_exchange_start, c_exchange_take, c_exchange_test, c_exchange_transport, c_exchange_wait
  use lapwing_domains, only: known_domain, lapwing_domain
  use lapwing_errors, only: c_text, complain, fortran_text, settle
  use lapwing_fields, only: array_layout, handles_of, lapwing_bool, lapwing_field, lapwing_int32, lapwing_logical, lapwing_real32, &
                            lapwing_real64, lay_out
  implicit none
  private
  public :: lapwing_exchange

  !> The exchange of the halos of some fields, in one message per neighbour. Do not copy it.
  type :: lapwing_exchange
    type(c_ptr) :: handle = c_null_ptr
    type(lapwing_field), allocatable :: fields(:)
  contains
    procedure, private :: take_real32, take_real64, take_int32, take_bool, take_logical
    !> call exchange%take(number, array): says where array `number` lies from the next start on, in the order of the fields
    !> from 1, until the next call for it: a target or a pointer, contiguous, whose lower bounds count as the model counts
    !> cells, and whose dimensions match the field. It must live until the exchange has been waited for. Only for exchanges
    !> that create_for_arrays made. Local.
    generic :: take => take_real32, take_real64, take_int32, take_bool, take_logical
    procedure :: create
    procedure :: create_for_arrays
    procedure :: run
    procedure :: start
    procedure :: test
    procedure :: wait
    procedure :: take_memory
    procedure :: transport
    procedure :: volume
    final :: free
  end type

  interface
    function c_exchange_volume(exchange, messages, bytes) bind(C, name="lapwing_exchange_volume") result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int64_t), intent(out) :: messages, bytes
      integer(c_int) :: code
    end function
  end interface

contains

  !> transport: 'auto', the fastest on this machine, unless said. Collective.
  subroutine create(self, domain, fields, transport, stat, errmsg)
    class(lapwing_exchange), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    type(lapwing_field), intent(in) :: fields(:)
    character(*), intent(in), optional :: transport
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: by

    if (.not. known_domain(domain, stat, errmsg)) return
    by = 'auto'
    if (present(transport)) by = transport
    call settle(c_exchange_create(domain%handle, handles_of(fields), size(fields, kind=c_int), c_text(by), &
                                  self%handle), stat, errmsg)
  end subroutine

  !> The exchange of arrays that come and go: `take` says where they are. fields: declared, with the halo that travels;
  !> they need no memory. transport: 'auto', or one that packs (not 'datatype', 'direct' or 'pull'). Collective.
  subroutine create_for_arrays(self, domain, fields, transport, stat, errmsg)
    class(lapwing_exchange), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    type(lapwing_field), intent(in) :: fields(:)
    character(*), intent(in), optional :: transport
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: by
    integer(c_int) :: code

    if (.not. known_domain(domain, stat, errmsg)) return
    by = 'auto'
    if (present(transport)) by = transport
    code = c_exchange_create_for_arrays(domain%handle, handles_of(fields), size(fields, kind=c_int), c_text(by), &
                                        self%handle)
    if (code == 0) self%fields = fields
    call settle(code, stat, errmsg)
  end subroutine

  !> `take` of an array of any type, with these bounds.
  subroutine take_memory(self, number, type, data, lower, upper, contiguous, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(in) :: number, type, lower(:), upper(:)
    type(c_ptr), intent(in) :: data
    logical, intent(in) :: contiguous
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(array_layout) :: layout
    integer(c_int) :: code

    if (.not. fits(self, number, type, size(lower), contiguous, stat, errmsg)) return
    associate (field => self%fields(number))
      layout = lay_out(field%axes, field%shift, field%flat, lower, upper)
      if (layout%components /= field%components) then
        call complain("array of field "//field%name//": got another number of components; expected those that the "// &
                      "field was declared with; pass an array of these", stat, errmsg)
        return
      end if
    end associate
    code = c_exchange_take(self%handle, int(number - 1, c_int), data, layout%allocated, layout%strides)
    if (code /= 0 .or. present(stat)) call settle(code, stat, errmsg)
  end subroutine

  !> True if an array may have this number; an error if it may not.
  logical function fits(self, number, type, dimensions, contiguous, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(in) :: number, type, dimensions
    logical, intent(in) :: contiguous
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    fits = .false.
    if (.not. allocated(self%fields)) then
      call complain("array of an exchange: got one for an exchange of fields, or none; expected one that "// &
                    "create_for_arrays made; create it like that", stat, errmsg)
    else if (number < 1 .or. number > size(self%fields)) then
      call complain("number of an array: got one that is not that of a field; expected 1 to the number of fields; "// &
                    "number arrays in the order of the fields", stat, errmsg)
    else if (type /= self%fields(number)%type .or. dimensions > len(self%fields(number)%axes)) then
      call complain("array of field "//self%fields(number)%name//": got none, another type, or more dimensions "// &
                    "than the field has axes; expected an array like the field; declare the field likewise", &
                    stat, errmsg)
    else if (.not. contiguous) then
      call complain("array of field "//self%fields(number)%name//": got a slice with gaps; expected a contiguous "// &
                    "array; pass the whole array, or copy the slice", stat, errmsg)
    else
      fits = .true.
    end if
  end function

  subroutine take_real32(self, number, array, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(in) :: number
    real(real32), pointer, intent(in) :: array(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (associated(array)) then
      call self%take_memory(number, lapwing_real32, c_loc(array), lbound(array), ubound(array), is_contiguous(array), &
                            stat, errmsg)
    else
      call self%take_memory(number, -1, c_null_ptr, [integer ::], [integer ::], .true., stat, errmsg)
    end if
  end subroutine

  subroutine take_real64(self, number, array, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(in) :: number
    real(real64), pointer, intent(in) :: array(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (associated(array)) then
      call self%take_memory(number, lapwing_real64, c_loc(array), lbound(array), ubound(array), is_contiguous(array), &
                            stat, errmsg)
    else
      call self%take_memory(number, -1, c_null_ptr, [integer ::], [integer ::], .true., stat, errmsg)
    end if
  end subroutine

  subroutine take_int32(self, number, array, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(in) :: number
    integer(int32), pointer, intent(in) :: array(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (associated(array)) then
      call self%take_memory(number, lapwing_int32, c_loc(array), lbound(array), ubound(array), is_contiguous(array), &
                            stat, errmsg)
    else
      call self%take_memory(number, -1, c_null_ptr, [integer ::], [integer ::], .true., stat, errmsg)
    end if
  end subroutine

  subroutine take_bool(self, number, array, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(in) :: number
    logical(c_bool), pointer, intent(in) :: array(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (associated(array)) then
      call self%take_memory(number, lapwing_bool, c_loc(array), lbound(array), ubound(array), is_contiguous(array), &
                            stat, errmsg)
    else
      call self%take_memory(number, -1, c_null_ptr, [integer ::], [integer ::], .true., stat, errmsg)
    end if
  end subroutine

  subroutine take_logical(self, number, array, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(in) :: number
    logical, pointer, intent(in) :: array(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (associated(array)) then
      call self%take_memory(number, lapwing_logical, c_loc(array), lbound(array), ubound(array), is_contiguous(array), &
                            stat, errmsg)
    else
      call self%take_memory(number, -1, c_null_ptr, [integer ::], [integer ::], .true., stat, errmsg)
    end if
  end subroutine

  !> Fills the halos: start and wait. Local, but all neighbours must do it too.
  subroutine run(self, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code

    code = c_exchange_run(self%handle)
    if (code /= 0 .or. present(stat)) call settle(code, stat, errmsg)
  end subroutine

  !> Packs and posts, and does not block. Until wait, do not write owned cells, nor read halos. Local.
  subroutine start(self, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code

    code = c_exchange_start(self%handle)
    if (code /= 0 .or. present(stat)) call settle(code, stat, errmsg)
  end subroutine

  !> Moves messages on; complete: whether all have arrived. Local, does not block.
  subroutine test(self, complete, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    logical, intent(out) :: complete
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code, answer

    answer = 0
    code = c_exchange_test(self%handle, answer)
    complete = answer /= 0
    call settle(code, stat, errmsg)
  end subroutine

  !> Blocks until the halos are filled. Local.
  subroutine wait(self, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code

    code = c_exchange_wait(self%handle)
    if (code /= 0 .or. present(stat)) call settle(code, stat, errmsg)
  end subroutine

  !> The messages and bytes that this rank sends in one run. Local.
  subroutine volume(self, messages, bytes, stat, errmsg)
    class(lapwing_exchange), intent(in) :: self
    integer(int64), intent(out) :: messages, bytes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    messages = 0
    bytes = 0
    call settle(c_exchange_volume(self%handle, messages, bytes), stat, errmsg)
  end subroutine

  !> The name of the transport in use. Local.
  function transport(self) result(name)
    class(lapwing_exchange), intent(in) :: self
    character(:), allocatable :: name

    name = fortran_text(c_exchange_transport(self%handle))
  end function

  subroutine free(self)
    type(lapwing_exchange), intent(inout) :: self

    call c_exchange_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module lapwing_exchanges
