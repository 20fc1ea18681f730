!> Halos by hand: update_halo sends the edges of an array to the eight neighbours, wait_halo fills its halo with theirs.
!> An exchange is known by its tag; up to most_tags may be on their way.
module halo_exchange
  use, intrinsic :: iso_fortran_env, only: wp => real64
  use domain, only: halo, imax, jmax, neighbour
  use mpi_calls, only: calls_irecv, calls_isend, calls_wait
  implicit none
  private
  public :: end_halo, init_halo, update_halo, wait_halo
  integer, parameter :: most_tags = 10, directions = 8
  integer, parameter :: dx(directions) = [-1, 1, 0, 0, -1, 1, -1, 1]
  integer, parameter :: dy(directions) = [0, 0, -1, 1, -1, -1, 1, 1]
  integer, parameter :: opposite(directions) = [2, 1, 4, 3, 8, 7, 6, 5]

  !> What goes to and comes from one neighbour under one tag.
  type :: message
    real(wp), allocatable :: sent(:), received(:)
    integer :: send_request, receive_request
  end type
  type(message) :: messages(directions, most_tags)

  !> The edge that goes to a neighbour, and the halo that it fills.
  type :: region
    integer :: i1, i2, j1, j2
  end type
  type(region) :: edges(directions), halos(directions)
  integer :: neighbours(directions)

contains

  subroutine init_halo()
    integer :: d, tag

    do d = 1, directions
      neighbours(d) = neighbour(dx(d), dy(d))
      call range_of(dx(d), imax, edges(d)%i1, edges(d)%i2, halos(d)%i1, halos(d)%i2)
      call range_of(dy(d), jmax, edges(d)%j1, edges(d)%j2, halos(d)%j1, halos(d)%j2)
      do tag = 1, most_tags
        allocate (messages(d, tag)%sent(cells_of(edges(d))), messages(d, tag)%received(cells_of(halos(d))))
      end do
    end do
  end subroutine

  !> Along one axis of n cells, in the direction -1, 0 or 1.
  subroutine range_of(direction, n, edge1, edge2, halo1, halo2)
    integer, intent(in) :: direction, n
    integer, intent(out) :: edge1, edge2, halo1, halo2

    select case (direction)
    case (-1)
      edge1 = 1
      edge2 = halo
      halo1 = 1 - halo
      halo2 = 0
    case (0)
      edge1 = 1
      edge2 = n
      halo1 = 1
      halo2 = n
    case (1)
      edge1 = n - halo + 1
      edge2 = n
      halo1 = n + 1
      halo2 = n + halo
    end select
  end subroutine

  subroutine end_halo()
    integer :: d, tag

    do tag = 1, most_tags
      do d = 1, directions
        deallocate (messages(d, tag)%sent, messages(d, tag)%received)
      end do
    end do
  end subroutine

  integer function cells_of(box)
    type(region), intent(in) :: box

    cells_of = (box%i2 - box%i1 + 1)*(box%j2 - box%j1 + 1)
  end function

  subroutine update_halo(a, tag)
    real(wp), intent(in) :: a(1 - halo:, 1 - halo:)
    integer, intent(in) :: tag
    integer :: d

    do d = 1, directions
      if (neighbours(d) < 0) cycle
      associate (m => messages(d, tag))
        call calls_irecv(m%received, size(m%received), neighbours(d), directions*tag + opposite(d), m%receive_request)
      end associate
    end do
    do d = 1, directions
      if (neighbours(d) < 0) cycle
      associate (m => messages(d, tag))
        call pack(a, edges(d), m%sent)
        call calls_isend(m%sent, size(m%sent), neighbours(d), directions*tag + d, m%send_request)
      end associate
    end do
  end subroutine

  subroutine wait_halo(a, tag)
    real(wp), intent(inout) :: a(1 - halo:, 1 - halo:)
    integer, intent(in) :: tag
    integer :: d

    do d = 1, directions
      if (neighbours(d) < 0) cycle
      associate (m => messages(d, tag))
        call calls_wait(m%receive_request)
        call unpack(a, halos(d), m%received)
        call calls_wait(m%send_request)
      end associate
    end do
  end subroutine

  subroutine pack(a, box, values)
    real(wp), intent(in) :: a(1 - halo:, 1 - halo:)
    type(region), intent(in) :: box
    real(wp), intent(out) :: values(:)
    integer :: i, j, n

    n = 0
    do j = box%j1, box%j2
      do i = box%i1, box%i2
        n = n + 1
        values(n) = a(i, j)
      end do
    end do
  end subroutine

  subroutine unpack(a, box, values)
    real(wp), intent(inout) :: a(1 - halo:, 1 - halo:)
    type(region), intent(in) :: box
    real(wp), intent(in) :: values(:)
    integer :: i, j, n

    n = 0
    do j = box%j1, box%j2
      do i = box%i1, box%i2
        n = n + 1
        a(i, j) = values(n)
      end do
    end do
  end subroutine
end module halo_exchange
