!> Kernels: the cells and the arrays that a stage hands them.
module lapwing_kernels
  use, intrinsic :: iso_c_binding, only: c_bool, c_f_pointer, c_int, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use lapwing_c, only: c_block, c_field_block
  use lapwing_domains, only: lapwing_box
  use lapwing_errors, only: complain
  use lapwing_fields, only: lapwing_bool, lapwing_int32, lapwing_logical, lapwing_real32, lapwing_real64
  use lapwing_uses, only: lapwing_use
  implicit none
  private
  public :: array_view, kernel_2d, kernel_3d, kernel_of_views, lapwing_views, view_of

  !> One array: its address, bounds and type of values.
  type :: array_view
    type(c_ptr) :: data = c_null_ptr
    integer :: lower(4) = 1, lengths(4) = 1
    integer :: type = -1, axes = 0
  end type

  !> The arrays of a stage in the order of its uses, numbered from 1, and what the model gave the stage.
  type :: lapwing_views
    type(array_view), pointer, private :: views(:) => null()
    character(:), pointer, private :: stage => null()
    !> The `model` of step%stage_of_views; null without one.
    class(*), pointer :: model => null()
  contains
    procedure, private :: view_real32_2, view_real32_3, view_real32_4, view_real64_2, view_real64_3, view_real64_4
    procedure, private :: view_int32_2, view_int32_3, view_int32_4, view_bool_2, view_bool_3, view_bool_4
    procedure, private :: view_logical_2, view_logical_3, view_logical_4
    procedure, private, non_overridable :: holds, refuse
    !> call views%get(number, array): a pointer, in the model's indices, to the array of use number `number`, with its
    !> halo. An error for another type of values or more dimensions. Local; some nanoseconds.
    generic :: get => view_real32_2, view_real32_3, view_real32_4, view_real64_2, view_real64_3, view_real64_4, &
               view_int32_2, view_int32_3, view_int32_4, view_bool_2, view_bool_3, view_bool_4, view_logical_2, &
               view_logical_3, view_logical_4
    procedure :: point_to
  end type

  abstract interface
    !> Computes the cells i1..i2, j1..j2, in the model's indices.
    subroutine kernel_2d(i1, i2, j1, j2)
      integer, intent(in) :: i1, i2, j1, j2
    end subroutine
    !> The same where the grid is cut along z too.
    subroutine kernel_3d(i1, i2, j1, j2, k1, k2)
      integer, intent(in) :: i1, i2, j1, j2, k1, k2
    end subroutine
    !> Computes the cells of `box` with the arrays of the stage, on grids of any number of axes.
    subroutine kernel_of_views(box, views)
      import :: lapwing_box, lapwing_views
      type(lapwing_box), intent(in) :: box
      type(lapwing_views), intent(in) :: views
    end subroutine
  end interface

contains

  !> The array of a use in a box of this rank, once its field has memory; none where the rank has no such box.
  type(array_view) function view_of(use, box) result(view)
    type(lapwing_use), intent(in) :: use
    integer, intent(in) :: box
    type(c_block) :: block
    integer :: n, axis, of_axis(4)

    view%type = use%type
    view%axes = len_trim(use%axes)
    if (c_field_block(use%given%field, int(box - 1, c_int), block) /= 0) return
    view%data = block%data
    of_axis = [int(block%allocated%hi - block%allocated%lo), use%components]
    do n = 1, view%axes
      axis = index('xyzc', use%axes(n:n))
      view%lengths(n) = of_axis(axis)
      if (axis < 4) view%lower(n) = int(block%allocated%lo(axis)) + use%shift(axis)
    end do
  end function

  !> Shows these arrays, of the stage with this name, from now on. Local.
  subroutine point_to(self, views, stage, model)
    class(lapwing_views), intent(inout) :: self
    type(array_view), intent(in), target :: views(:)
    character(*), intent(in), target :: stage
    class(*), pointer, intent(in) :: model

    self%views => views
    self%stage => stage
    self%model => model
  end subroutine

  !> True if an array of this number fits the pointer; an error if it does not.
  logical function holds(self, number, type, dimensions, stat, errmsg)
    class(lapwing_views), intent(in) :: self
    integer, intent(in) :: number, type, dimensions
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    holds = number >= 1 .and. number <= size(self%views)
    if (holds) holds = type == self%views(number)%type .and. dimensions <= self%views(number)%axes
    if (.not. holds) then
      call self%refuse(number, stat, errmsg)
    else if (present(stat)) then
      stat = 0
    end if
  end function

  subroutine refuse(self, number, stat, errmsg)
    class(lapwing_views), intent(in) :: self
    integer, intent(in) :: number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(80) :: got

    if (number < 1 .or. number > size(self%views)) then
      write (got, '(a, i0, a, i0)') ', array: got number ', number, '; expected 1 to ', size(self%views)
      call complain('stage '//self%stage//trim(got)//', the uses that it declares; count them in their order', stat, errmsg)
    else
      write (got, '(a, i0, a)') ', array ', number, ': got a pointer of another type, or of more dimensions than the '
      call complain('stage '//self%stage//trim(got)//' field has axes; expected a pointer like the field; declare it '// &
                    'likewise', stat, errmsg)
    end if
  end subroutine

#define TYPE_OF_VALUES real(real32)
#define NUMBER_OF_TYPE lapwing_real32
#define VIEW2 view_real32_2
#define VIEW3 view_real32_3
#define VIEW4 view_real32_4
#include "lapwing_view.inc"

#define TYPE_OF_VALUES real(real64)
#define NUMBER_OF_TYPE lapwing_real64
#define VIEW2 view_real64_2
#define VIEW3 view_real64_3
#define VIEW4 view_real64_4
#include "lapwing_view.inc"

#define TYPE_OF_VALUES integer(int32)
#define NUMBER_OF_TYPE lapwing_int32
#define VIEW2 view_int32_2
#define VIEW3 view_int32_3
#define VIEW4 view_int32_4
#include "lapwing_view.inc"

#define TYPE_OF_VALUES logical(c_bool)
#define NUMBER_OF_TYPE lapwing_bool
#define VIEW2 view_bool_2
#define VIEW3 view_bool_3
#define VIEW4 view_bool_4
#include "lapwing_view.inc"

#define TYPE_OF_VALUES logical
#define NUMBER_OF_TYPE lapwing_logical
#define VIEW2 view_logical_2
#define VIEW3 view_logical_3
#define VIEW4 view_logical_4
#include "lapwing_view.inc"
end module lapwing_kernels
