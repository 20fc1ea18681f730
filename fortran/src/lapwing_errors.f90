!> Reports errors: an error goes to the caller's stat (0: none) and errmsg, as errors of `allocate` do, or ends the
!> program with its message.
module lapwing_errors
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, c_null_char, c_ptr
  use lapwing_c, only: c_message, c_stop, c_strlen
  implicit none
  private
  public :: settle, complain, c_text, fortran_text, reduction_number

contains

  !> Hands the code of a call of lapwing to the caller, or stops where he does not ask for it.
  subroutine settle(code, stat, errmsg)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (present(stat)) stat = int(code)
    if (code == 0) return
    if (present(errmsg)) errmsg = fortran_text(c_message())
    if (.not. present(stat)) call c_stop(code, c_text(fortran_text(c_message())))
  end subroutine

  !> The same for an error of this module's own.
  subroutine complain(message, stat, errmsg)
    character(*), intent(in) :: message
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (present(stat)) stat = 2
    if (present(errmsg)) errmsg = message
    if (.not. present(stat)) call c_stop(2_c_int, c_text(message))
  end subroutine

  !> 'minimum', 'maximum' or 'sum' as C numbers them; -1, which lapwing refuses, for another word.
  pure integer(c_int) function reduction_number(kind) result(number)
    character(*), intent(in) :: kind

    select case (kind)
    case ('minimum')
      number = 0
    case ('maximum')
      number = 1
    case ('sum')
      number = 2
    case default
      number = -1
    end select
  end function

  pure function c_text(text) result(copy)
    character(*), intent(in) :: text
    character(kind=c_char), allocatable :: copy(:)
    integer :: n

    allocate (copy(len_trim(text) + 1))
    do n = 1, len_trim(text)
      copy(n) = text(n:n)
    end do
    copy(size(copy)) = c_null_char
  end function

  function fortran_text(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: n

    call c_f_pointer(text, letters, [c_strlen(text)])
    allocate (character(size(letters)) :: copy)
    do n = 1, size(letters)
      copy(n:n) = letters(n)
    end do
  end function
end module lapwing_errors
