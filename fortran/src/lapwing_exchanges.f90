!> Exchanges: halos of some fields, filled when the model says so.
module lapwing_exchanges
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
  use lapwing_c, only: c_exchange_create, c_exchange_free, c_exchange_run, c_exchange_start, c_exchange_test, &
                       c_exchange_transport, c_exchange_wait
  use lapwing_domains, only: known_domain, lapwing_domain
  use lapwing_errors, only: c_text, fortran_text, settle
  use lapwing_fields, only: lapwing_field
  implicit none
  private
  public :: lapwing_exchange

  !> The exchange of the halos of some fields, in one message per neighbour. Do not copy it.
  type :: lapwing_exchange
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create
    procedure :: run
    procedure :: start
    procedure :: test
    procedure :: wait
    procedure :: transport
    final :: free
  end type

contains

  !> transport: 'auto', the fastest on this machine, unless said. Collective.
  subroutine create(self, domain, fields, transport, stat, errmsg)
    class(lapwing_exchange), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    type(lapwing_field), intent(in) :: fields(:)
    character(*), intent(in), optional :: transport
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), allocatable :: handles(:)
    character(:), allocatable :: by
    integer :: n

    if (.not. known_domain(domain, stat, errmsg)) return
    by = 'auto'
    if (present(transport)) by = transport
    allocate (handles(size(fields)))
    do n = 1, size(fields)
      handles(n) = fields(n)%handle
    end do
    call settle(c_exchange_create(domain%handle, handles, size(handles, kind=c_int), c_text(by), self%handle), &
                stat, errmsg)
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
