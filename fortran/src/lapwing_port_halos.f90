!> The halos of a port: copies of arrays of the model, which lapwing fills and compares.
module lapwing_port_halos
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, int8, real64
  use lapwing_domains, only: lapwing_domain
  use lapwing_exchanges, only: lapwing_exchange
  use lapwing_extents, only: around
  use lapwing_fields, only: array_layout, lapwing_bool, lapwing_field, lapwing_logical, lapwing_real64, lay_out
  implicit none
  private
  public :: all_say, fill, held_by, make_halo, no_array, no_axes, no_cells, port_array, port_halo, stale_cells, values_of
  integer, parameter :: rounds = 8  ! of noise: a byte stays by chance once in 256 of them
  integer, parameter :: no_array = -3, no_axes = -2, no_cells = -1

  !> Where an array of the model lies, with its bounds.
  type :: port_array
    integer :: type = -1
    type(c_ptr) :: data = c_null_ptr
    integer, allocatable :: lower(:), upper(:)
    logical :: contiguous = .false.
  end type

  !> The halo of a field as calls of one kind and width see it, with a copy of the array, in which lapwing fills it.
  type :: port_halo
    character(:), allocatable :: call, name, axes
    integer :: width = 0
    type(port_array) :: array
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    integer :: value_bytes = 1
    integer(int8), allocatable :: copy(:, :)  ! bytes of a value, values
    integer(int8), allocatable :: last(:, :)  ! owned values when last seen
    integer, allocatable :: filled(:), owned(:)  ! places of values
    integer(int64) :: messages = 0, bytes = 0
    logical :: fills = .false., pending = .false.
    integer :: since = 0  ! number of the call at which its owned values were first what they are
  end type

contains

  !> The ghost cells that an array has on each side in x and y, or what is wrong with it.
  integer function held_by(domain, array, axes)
    type(lapwing_domain), intent(in) :: domain
    type(port_array), intent(in) :: array
    character(*), intent(in) :: axes
    integer :: x, y

    held_by = no_array
    if (.not. c_associated(array%data)) then
      if (domain%is_empty() .and. array%type >= 0) held_by = huge(held_by)
      return
    end if
    if (.not. array%contiguous) return
    x = index(axes, 'x')
    y = index(axes, 'y')
    held_by = no_axes
    if (len(axes) /= size(array%lower) .or. verify(axes, 'xyzc') > 0 .or. x == 0 .or. y == 0) return
    held_by = huge(held_by)
    if (domain%is_empty()) return
    held_by = max(no_cells, min(domain%i1 - array%lower(x), array%upper(x) - domain%i2, &
                                domain%j1 - array%lower(y), array%upper(y) - domain%j2))
  end function

  logical function all_say(domain, mine)
    type(lapwing_domain), intent(in) :: domain
    logical, intent(in) :: mine
    real(real64) :: least

    call domain%reduce('minimum', merge(1.0_real64, 0.0_real64, mine), least)
    all_say = least > 0
  end function

  !> Its exchange and its copy, and which values of an array they fill. Collective.
  subroutine make_halo(domain, frame, halo)
    type(lapwing_domain), intent(inout) :: domain
    logical, intent(in) :: frame
    type(port_halo), intent(inout) :: halo
    type(array_layout) :: layout
    integer(int64) :: messages, bytes
    real(real64) :: total

    layout = lay_out(halo%axes, domain%shift, .true., halo%array%lower, halo%array%upper)
    call halo%field%declare(domain, halo%name, type=halo%array%type, levels=layout%levels, components=layout%components, &
                            axes=halo%axes, halo=around(halo%width), frame=frame)
    call halo%exchange%create_for_arrays(domain, [halo%field], transport='p2p')
    call halo%exchange%volume(messages, bytes)
    call domain%reduce('sum', real(messages, real64), total)
    halo%messages = nint(total, int64)
    call domain%reduce('sum', real(bytes, real64), total)
    halo%bytes = nint(total, int64)
    halo%value_bytes = bytes_of(halo%array%type)
    allocate (halo%copy(halo%value_bytes, product(max(0, halo%array%upper - halo%array%lower + 1))))
    call find_places(domain, halo)
    halo%fills = .not. all_say(domain, size(halo%filled) == 0)
  end subroutine

  pure integer function bytes_of(type)
    integer, intent(in) :: type

    bytes_of = 4
    if (type == lapwing_real64) bytes_of = 8
    if (type == lapwing_bool) bytes_of = 1
    if (type == lapwing_logical) bytes_of = storage_size(.true.) / 8
  end function

  !> Finds the values that the exchange fills, as noise of other places arrives there, and the owned ones.
  subroutine find_places(domain, halo)
    type(lapwing_domain), intent(in) :: domain
    type(port_halo), intent(inout) :: halo
    integer(int8), allocatable :: noise(:, :)
    logical, allocatable :: changed(:)
    integer :: round, n

    allocate (changed(size(halo%copy, 2)), source=.false.)
    do round = 1, rounds
      call make_noise(domain%rank, round, halo%copy)
      noise = halo%copy
      call exchange_copy(halo)
      do n = 1, size(changed)
        changed(n) = changed(n) .or. any(halo%copy(:, n) /= noise(:, n))
      end do
    end do
    halo%filled = pack([(n, n=1, size(changed))], changed)
    halo%owned = pack([(n, n=1, size(changed))], [(is_owned(domain, halo, n), n=1, size(changed))])
    halo%last = halo%copy(:, halo%owned)
  end subroutine

  !> Bytes that differ from rank to rank, from place to place and from round to round.
  subroutine make_noise(rank, round, bytes)
    integer, intent(in) :: rank, round
    integer(int8), intent(out) :: bytes(:, :)
    integer(int64) :: mixed
    integer :: n, m

    do n = 1, size(bytes, 2)
      do m = 1, size(bytes, 1)
        mixed = mod(n * 40503_int64 + m * 30011_int64 + rank * 52711_int64 + round * 6367_int64, 65521_int64)
        mixed = mod(mixed * mixed + round * 7919_int64, 65519_int64)
        mixed = mod(mixed * mixed + 12289_int64, 65497_int64)
        bytes(m, n) = int(mod(mixed / 16, 256_int64) - 128, int8)
      end do
    end do
  end subroutine

  !> True if value number `place` of the array is of a cell of this rank.
  logical function is_owned(domain, halo, place)
    type(lapwing_domain), intent(in) :: domain
    type(port_halo), intent(in) :: halo
    integer, intent(in) :: place
    integer :: n, rest, length, at

    is_owned = .true.
    rest = place - 1
    do n = 1, size(halo%array%lower)
      length = halo%array%upper(n) - halo%array%lower(n) + 1
      at = halo%array%lower(n) + mod(rest, length)
      rest = rest / length
      if (halo%axes(n:n) == 'x') is_owned = is_owned .and. at >= domain%i1 .and. at <= domain%i2
      if (halo%axes(n:n) == 'y') is_owned = is_owned .and. at >= domain%j1 .and. at <= domain%j2
    end do
  end function

  !> The exchange of the copy. Collective.
  subroutine exchange_copy(halo)
    type(port_halo), intent(inout), target :: halo

    call halo%exchange%take_memory(1, halo%array%type, c_loc(halo%copy), halo%array%lower, halo%array%upper, .true.)
    call halo%exchange%run()
  end subroutine

  !> The values of the array, as bytes.
  function values_of(halo) result(values)
    type(port_halo), intent(in) :: halo
    integer(int8), pointer :: values(:, :)

    integer(int8), target, save :: none(1, 0)

    values => none
    if (c_associated(halo%array%data)) call c_f_pointer(halo%array%data, values, shape(halo%copy))
  end function

  !> Fills the halo of a copy of the array, and counts the values of all ranks that differ from it. Collective.
  integer(int64) function stale_cells(domain, halo) result(count)
    type(lapwing_domain), intent(in) :: domain
    type(port_halo), intent(inout) :: halo
    integer(int8), pointer :: values(:, :)
    real(real64) :: total
    integer :: n

    count = 0
    values => values_of(halo)
    halo%copy = values
    call exchange_copy(halo)
    do n = 1, size(halo%filled)
      if (any(halo%copy(:, halo%filled(n)) /= values(:, halo%filled(n)))) count = count + 1
    end do
    call domain%reduce('sum', real(count, real64), total)
    count = nint(total, int64)
  end function

  !> Puts the halo of the copy into the array.
  subroutine fill(halo)
    type(port_halo), intent(in) :: halo
    integer(int8), pointer :: values(:, :)
    integer :: n

    if (size(halo%filled) == 0) return
    values => values_of(halo)
    do n = 1, size(halo%filled)
      values(:, halo%filled(n)) = halo%copy(:, halo%filled(n))
    end do
  end subroutine
end module lapwing_port_halos
