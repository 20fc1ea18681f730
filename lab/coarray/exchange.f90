! The halo of a lattice, filled the ways a coarray program may: with buffers or straight from array to array, one
! statement for each population or one with a vector subscript for all, pushed to the neighbour or pulled from it; and
! with buffers that messages of MPI carry. Axis by axis: what flies across an edge goes along with the second of its
! axes.
module exchange
  use, intrinsic :: iso_fortran_env, only: real64
  use lattice, only: directions, velocities
  use blocks, only: block
  use messages, only: swap_boxes
  use populations, only: f
  implicit none
  private
  public :: ways, make_exchange, fill_halo

  character(13), parameter :: ways(6) = [character(13) :: 'buffered-push', 'buffered-pull', 'direct-push', &
      'direct-pull', 'vector-push', 'mpi']
  integer, parameter :: crossing = 5  ! populations that fly across a face

  integer :: links(crossing, -1:1, 3)                   ! by the side that they fly to, and axis
  real(real64), allocatable :: outbox(:, :)[:]          ! what flies to the sides before and behind
  real(real64), allocatable :: inbox(:, :)[:]           ! what comes from there

contains

  ! All images.
  subroutine make_exchange(b)
    type(block), intent(in) :: b
    integer :: axis, side, q, n, most

    links = 0
    do axis = 1, 3
      do side = -1, 1, 2
        n = 0
        do q = 1, directions - 1
          if (velocities(axis, q) /= side) cycle
          n = n + 1
          links(n, side, axis) = q
        end do
      end do
    end do
    associate (n3 => b%largest + 2)
      most = crossing * max(n3(1) * n3(2), n3(1) * n3(3), n3(2) * n3(3))
    end associate
    allocate (outbox(most, 2)[*], inbox(most, 2)[*])
  end subroutine

  ! Fills the halo of a lattice. All images.
  subroutine fill_halo(b, way, lattice)
    type(block), intent(in) :: b
    character(*), intent(in) :: way
    integer, intent(in) :: lattice
    integer :: axis

    do axis = 1, 3
      if (b%ranks(axis) == 1) then
        call wrap(b, axis, lattice)
        cycle
      end if
      select case (way)
      case ('buffered-push', 'buffered-pull')
        call exchange_buffered(b, way == 'buffered-pull', axis, lattice)
      case ('mpi')
        call exchange_messages(b, axis, lattice)
      case ('vector-push')
        call exchange_vector(b, axis, lattice)
      case default
        call exchange_direct(b, way == 'direct-pull', axis, lattice)
      end select
    end do
  end subroutine

  ! The cells of a face: the last ones inside towards `side`, or the halo behind them; halos of the axes before this one
  ! are filled and go along.
  pure subroutine face(b, axis, side, halo, lo, hi)
    type(block), intent(in) :: b
    integer, intent(in) :: axis, side
    logical, intent(in) :: halo
    integer, intent(out) :: lo(3), hi(3)
    integer :: a

    do a = 1, 3
      lo(a) = merge(0, 1, a < axis)
      hi(a) = merge(b%size(a) + 1, b%size(a), a < axis)
    end do
    lo(axis) = merge(merge(0, 1, halo), merge(b%size(axis) + 1, b%size(axis), halo), side < 0)
    hi(axis) = lo(axis)
  end subroutine

  ! An axis with one image, periodic.
  subroutine wrap(b, axis, lattice)
    type(block), intent(in) :: b
    integer, intent(in) :: axis, lattice
    integer :: side, n, q, lo(3), hi(3), to_lo(3), to_hi(3)

    do side = -1, 1, 2
      call face(b, axis, side, .false., lo, hi)
      call face(b, axis, -side, .true., to_lo, to_hi)
      do n = 1, crossing
        q = links(n, side, axis)
        f(to_lo(1):to_hi(1), to_lo(2):to_hi(2), to_lo(3):to_hi(3), q, lattice) = &
            f(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), q, lattice)
      end do
    end do
  end subroutine

  ! Waits for both neighbours, which may be one image.
  subroutine meet(b, axis)
    type(block), intent(in) :: b
    integer, intent(in) :: axis

    if (b%beside(-1, axis) == b%beside(1, axis)) then
      sync images (b%beside(1, axis))
    else
      sync images ([b%beside(-1, axis), b%beside(1, axis)])
    end if
  end subroutine

  subroutine exchange_buffered(b, pull, axis, lattice)
    type(block), intent(in) :: b
    logical, intent(in) :: pull
    integer, intent(in) :: axis, lattice
    integer :: side, values, mine, other

    ! numbers of boxes: 1 for the side before, 2 for the one behind
    if (pull) call meet(b, axis)  ! the neighbours have read the last ones
    do side = -1, 1, 2
      call pack(b, axis, side, lattice, outbox(:, (side + 3) / 2), values)
    end do
    call meet(b, axis)  ! their boxes are free, or full
    do side = -1, 1, 2
      mine = (side + 3) / 2
      other = 3 - mine
      if (pull) then
        inbox(:values, mine) = outbox(:values, other)[b%beside(side, axis)]
      else
        inbox(:values, other)[b%beside(side, axis)] = outbox(:values, mine)
      end if
    end do
    if (.not. pull) call meet(b, axis)
    do side = -1, 1, 2
      call unpack(b, axis, side, lattice, inbox(:, (side + 3) / 2))
    end do
  end subroutine

  ! The same boxes by messages of MPI.
  subroutine exchange_messages(b, axis, lattice)
    type(block), intent(in) :: b
    integer, intent(in) :: axis, lattice
    integer :: side, values

    do side = -1, 1, 2
      call pack(b, axis, side, lattice, outbox(:, (side + 3) / 2), values)
    end do
    call swap_boxes(outbox(:, 1), outbox(:, 2), inbox(:, 1), inbox(:, 2), values, b%beside(-1, axis) - 1, &
        b%beside(1, axis) - 1)
    do side = -1, 1, 2
      call unpack(b, axis, side, lattice, inbox(:, (side + 3) / 2))
    end do
  end subroutine

  subroutine pack(b, axis, side, lattice, box, values)
    type(block), intent(in) :: b
    integer, intent(in) :: axis, side, lattice
    real(real64), intent(inout) :: box(:)
    integer, intent(out) :: values
    integer :: n, j, k, lo(3), hi(3), row

    call face(b, axis, side, .false., lo, hi)
    row = hi(1) - lo(1) + 1
    values = 0
    do n = 1, crossing
      do k = lo(3), hi(3)
        do j = lo(2), hi(2)
          box(values + 1:values + row) = f(lo(1):hi(1), j, k, links(n, side, axis), lattice)
          values = values + row
        end do
      end do
    end do
  end subroutine

  ! Populations from `side` fly to the other one.
  subroutine unpack(b, axis, side, lattice, box)
    type(block), intent(in) :: b
    integer, intent(in) :: axis, side, lattice
    real(real64), intent(in) :: box(:)
    integer :: n, j, k, lo(3), hi(3), row, values

    call face(b, axis, side, .true., lo, hi)
    row = hi(1) - lo(1) + 1
    values = 0
    do n = 1, crossing
      do k = lo(3), hi(3)
        do j = lo(2), hi(2)
          f(lo(1):hi(1), j, k, links(n, -side, axis), lattice) = box(values + 1:values + row)
          values = values + row
        end do
      end do
    end do
  end subroutine

  ! Blocks differ in size along the axis only, so that the face of the neighbour is this one's, moved.
  subroutine exchange_direct(b, pull, axis, lattice)
    type(block), intent(in) :: b
    logical, intent(in) :: pull
    integer, intent(in) :: axis, lattice
    type(block) :: beside
    integer :: side, n, q, lo(3), hi(3), far_lo(3), far_hi(3)

    call meet(b, axis)
    do side = -1, 1, 2
      beside = b
      beside%size(axis) = size_beside(b, axis, side)
      call face(b, axis, side, pull, lo, hi)
      call face(beside, axis, -side, .not. pull, far_lo, far_hi)
      do n = 1, crossing
        q = links(n, merge(-side, side, pull), axis)
        if (pull) then
          f(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), q, lattice) = &
              f(far_lo(1):far_hi(1), far_lo(2):far_hi(2), far_lo(3):far_hi(3), q, lattice)[b%beside(side, axis)]
        else
          f(far_lo(1):far_hi(1), far_lo(2):far_hi(2), far_lo(3):far_hi(3), q, lattice)[b%beside(side, axis)] = &
              f(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), q, lattice)
        end if
      end do
    end do
    call meet(b, axis)
  end subroutine

  ! A push with one statement for all populations of a face, which a vector subscript names.
  subroutine exchange_vector(b, axis, lattice)
    type(block), intent(in) :: b
    integer, intent(in) :: axis, lattice
    type(block) :: beside
    integer :: side, q(crossing), lo(3), hi(3), far_lo(3), far_hi(3)

    call meet(b, axis)
    do side = -1, 1, 2
      beside = b
      beside%size(axis) = size_beside(b, axis, side)
      call face(b, axis, side, .false., lo, hi)
      call face(beside, axis, -side, .true., far_lo, far_hi)
      q = links(:, side, axis)
      f(far_lo(1):far_hi(1), far_lo(2):far_hi(2), far_lo(3):far_hi(3), q, lattice)[b%beside(side, axis)] = &
          f(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), q, lattice)
    end do
    call meet(b, axis)
  end subroutine

  pure integer function size_beside(b, axis, side)
    type(block), intent(in) :: b
    integer, intent(in) :: axis, side
    integer :: place

    place = modulo(b%place(axis) + side, b%ranks(axis))
    size_beside = (place + 1) * b%grid(axis) / b%ranks(axis) - place * b%grid(axis) / b%ranks(axis)
  end function

end module
