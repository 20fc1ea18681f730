!> Readable extents: how far a kernel reads around a cell.
module lapwing_extents
  use, intrinsic :: iso_c_binding, only: c_int
  use lapwing_c, only: lapwing_extent
  implicit none
  private
  public :: ahead, around, behind, cross, lapwing_extent, widen

  interface cross
    module procedure cross_of_cells, cross_of_extents
  end interface

contains

  !> Towards larger indices along axis 'x', 'y' or 'z'.
  pure type(lapwing_extent) function ahead(axis, cells) result(extent)
    character, intent(in) :: axis
    integer, intent(in), optional :: cells

    extent%hi(place_of(axis)) = 1
    if (present(cells)) extent%hi(place_of(axis)) = int(cells, c_int)
    if (index('xyz', axis) == 0) extent%hi(1) = -1
  end function

  !> Towards smaller indices.
  pure type(lapwing_extent) function behind(axis, cells) result(extent)
    character, intent(in) :: axis
    integer, intent(in), optional :: cells

    extent%lo(place_of(axis)) = 1
    if (present(cells)) extent%lo(place_of(axis)) = int(cells, c_int)
    if (index('xyz', axis) == 0) extent%lo(1) = -1
  end function

  !> On all sides in x and y, corners included.
  pure type(lapwing_extent) function around(cells) result(extent)
    integer, intent(in) :: cells

    extent%lo(1:2) = int(cells, c_int)
    extent%hi(1:2) = int(cells, c_int)
  end function

  !> On all sides in x and y, without corners.
  pure type(lapwing_extent) function cross_of_cells(cells) result(extent)
    integer, intent(in) :: cells

    extent = around(cells)
    extent%corners = 0
  end function

  !> As far as each of these without the corners between them: cross(ahead('x'), behind('y')).
  pure type(lapwing_extent) function cross_of_extents(extent, and, also, too) result(all)
    type(lapwing_extent), intent(in) :: extent
    type(lapwing_extent), intent(in), optional :: and, also, too

    all = extent
    call widen(all, and)
    call widen(all, also)
    call widen(all, too)
    all%corners = 0
  end function

  !> The number of an axis; of what is none, 1: the extent is -1 there, which lapwing refuses.
  pure integer function place_of(axis)
    character, intent(in) :: axis

    place_of = max(1, index('xyz', axis))
  end function

  !> Makes an extent reach as far as another one too; one below 0, which lapwing refuses, stays so.
  pure subroutine widen(extent, other)
    type(lapwing_extent), intent(inout) :: extent
    type(lapwing_extent), intent(in), optional :: other

    if (.not. present(other)) return
    extent%lo = max(extent%lo, other%lo)
    extent%hi = max(extent%hi, other%hi)
    extent%corners = max(extent%corners, other%corners)
    if (any([other%lo, other%hi] < 0)) extent = other
  end subroutine
end module lapwing_extents
