!> Counts the failed checks on this rank.
module checks
  implicit none
  private
  public :: expect, expect_error, failures, checked
  integer :: failures = 0, checked = 0
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    checked = checked + 1
    if (holds) return
    failures = failures + 1
    print '(2a)', 'failed: ', what
  end subroutine

  !> An error of the user, whose message holds these words.
  subroutine expect_error(stat, errmsg, words)
    integer, intent(in) :: stat
    character(*), intent(in) :: errmsg
    character(*), intent(in) :: words

    call expect(stat == 2 .and. index(errmsg, words) > 0, words//' is not in: '//trim(errmsg))
  end subroutine
end module checks
