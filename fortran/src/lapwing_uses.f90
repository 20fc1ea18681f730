!> Uses: what a kernel does to a field, each named once in a stage.
module lapwing_uses
  use, intrinsic :: iso_c_binding, only: c_int
  use lapwing_c, only: c_use, lapwing_extent
  use lapwing_extents, only: widen
  use lapwing_fields, only: lapwing_field
  use lapwing_reductions, only: lapwing_reduction
  implicit none
  private
  public :: as_wide_as, lapwing_use, reads, scatters, updates, writes

  !> The use of a field by a kernel; made by reads, writes, updates and scatters, and by as_wide_as.
  type :: lapwing_use
    type(c_use) :: given
    !> How the array of the field lies: its axes, type of values and components, and how it counts cells.
    character(4) :: axes = ''
    integer :: type = -1, components = 1, shift(3) = 1
  end type

contains

  !> Reads it, as far as the extents say around each cell; several are together the whole rectangle.
  pure type(lapwing_use) function reads(field, extent, and, also, too) result(use)
    class(lapwing_field), intent(in) :: field
    type(lapwing_extent), intent(in), optional :: extent, and, also, too

    use = use_of(field, 0)
    use%given%extent%corners = 0
    call widen(use%given%extent, extent)
    call widen(use%given%extent, and)
    call widen(use%given%extent, also)
    call widen(use%given%extent, too)
    if (present(and)) use%given%extent%corners = 1
  end function

  !> Sets the cells of its box without having read them.
  pure type(lapwing_use) function writes(field) result(use)
    class(lapwing_field), intent(in) :: field

    use = use_of(field, 1)
  end function

  !> Reads and sets the cells of its box.
  pure type(lapwing_use) function updates(field) result(use)
    class(lapwing_field), intent(in) :: field

    use = use_of(field, 2)
  end function

  !> Reads as far as the extent says, and writes each component of a cell at the offset that component_extents of
  !> field%declare names, into halos too: these values then travel to their owners.
  pure type(lapwing_use) function scatters(field, extent) result(use)
    class(lapwing_field), intent(in) :: field
    type(lapwing_extent), intent(in), optional :: extent

    use = use_of(field, 3)
    use%given%extent%corners = 0
    call widen(use%given%extent, extent)
  end function

  !> The same, but no more of the extent, around(widths(last)), travels than the number asks for, in one of the widths,
  !> ascending, up to eight: how far a kernel looks upstream depends on the wind, say. A stage before it reduces the
  !> number.
  type(lapwing_use) function as_wide_as(use, number, widths) result(demanding)
    type(lapwing_use), intent(in) :: use
    type(lapwing_reduction), intent(in) :: number
    integer, intent(in) :: widths(:)

    demanding = use
    demanding%given%wide_as = number%handle
    if (size(widths) > size(demanding%given%widths)) then
      demanding%given%widths(1) = -1  ! which lapwing refuses
    else
      demanding%given%widths(1:size(widths)) = int(widths, c_int)
    end if
  end function

  pure type(lapwing_use) function use_of(field, access) result(use)
    class(lapwing_field), intent(in) :: field
    integer, intent(in) :: access

    use%given%field = field%handle
    use%given%access = int(access, c_int)
    if (allocated(field%axes)) use%axes = field%axes
    use%type = field%type
    use%components = field%components
    use%shift = field%shift
  end function
end module lapwing_uses
