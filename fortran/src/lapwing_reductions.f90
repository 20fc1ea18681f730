!> Numbers that kernels find and all ranks agree on.
module lapwing_reductions
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing_errors, only: complain, settle
  implicit none
  private
  public :: lapwing_reduction

  !> A number that kernels lower or raise, number%raise_to(mine), and all ranks agree on. Do not copy it.
  type :: lapwing_reduction
    !> The number that kernels have found so far.
    real(real64), pointer :: partial => null()
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_number
    procedure :: lower_to => lower_number_to
    procedure :: raise_to => raise_number_to
    procedure :: value => value_of_number
    final :: free_number
  end type

  interface
    function c_number_create(kind, number) bind(C, name="lapwing_reduction_create") result(code)
      import :: c_int, c_ptr
      integer(c_int), value :: kind
      type(c_ptr), intent(out) :: number
      integer(c_int) :: code
    end function

    function c_number_partial(number) bind(C, name="lapwing_reduction_partial") result(partial)
      import :: c_ptr
      type(c_ptr), value :: number
      type(c_ptr) :: partial
    end function

    function c_number_value(number) bind(C, name="lapwing_reduction_value") result(value)
      import :: c_double, c_ptr
      type(c_ptr), value :: number
      real(c_double) :: value
    end function

    subroutine c_number_free(number) bind(C, name="lapwing_reduction_free")
      import :: c_ptr
      type(c_ptr), value :: number
    end subroutine
  end interface

contains

  !> kind: 'minimum' or 'maximum'. Local.
  subroutine create_number(self, kind, stat, errmsg)
    class(lapwing_reduction), intent(inout) :: self
    character(*), intent(in) :: kind
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (kind /= 'minimum' .and. kind /= 'maximum') then
      call complain("kind of a number: got '"//kind//"'; expected 'minimum' or 'maximum'; pass one of these", &
                    stat, errmsg)
      return
    end if
    call settle(c_number_create(merge(0_c_int, 1_c_int, kind == 'minimum'), self%handle), stat, errmsg)
    call c_f_pointer(c_number_partial(self%handle), self%partial)
  end subroutine

  !> Combines a number that a kernel finds. NaN stays, whatever comes after it, so that all ranks see it: min and max may
  !> miss it. Local.
  subroutine lower_number_to(self, mine)
    class(lapwing_reduction), intent(inout) :: self
    real(real64), intent(in) :: mine

    if (mine < self%partial .or. mine /= mine) self%partial = mine
  end subroutine

  !> The same for the largest. Local.
  subroutine raise_number_to(self, mine)
    class(lapwing_reduction), intent(inout) :: self
    real(real64), intent(in) :: mine

    if (mine > self%partial .or. mine /= mine) self%partial = mine
  end subroutine

  !> Returns the number of all ranks from the last run of the stage; NaN before, and if any rank found NaN. Local.
  real(real64) function value_of_number(self)
    class(lapwing_reduction), intent(in) :: self

    value_of_number = c_number_value(self%handle)
  end function

  subroutine free_number(self)
    type(lapwing_reduction), intent(inout) :: self

    call c_number_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module lapwing_reductions
