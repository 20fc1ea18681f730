! The options of the program: key=value, lists with commas.
module options
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: settings, read_settings

  type :: settings
    integer :: grid(3) = 64, ranks(3) = 1
    integer :: steps = 100, warm = 10
    real(real64) :: tau = 0.8_real64, tau_minus = 0.8_real64, force(3) = 0.0_real64
    character(13) :: way = 'buffered-push'
    character(500) :: flow = '', solid = '', result = ''
  end type

contains

  ! Stops with a message for what is not known.
  type(settings) function read_settings(ways) result(s)
    character(*), intent(in) :: ways(:)
    character(600) :: word
    integer :: n, problem

    do n = 1, command_argument_count()
      call get_command_argument(n, word)
      call take(word(:index(word, '=') - 1), trim(word(index(word, '=') + 1:)), s, problem)
      if (problem /= 0) error stop 'lbm_coarray: cannot read '//trim(word)
    end do
    if (all(ways /= s%way)) error stop 'lbm_coarray: unknown way='//trim(s%way)
  end function

  subroutine take(key, text, s, problem)
    character(*), intent(in) :: key, text
    type(settings), intent(inout) :: s
    integer, intent(out) :: problem

    problem = 0
    select case (key)
    case ('grid'); read (text, *, iostat=problem) s%grid
    case ('ranks'); read (text, *, iostat=problem) s%ranks
    case ('steps'); read (text, *, iostat=problem) s%steps
    case ('warm'); read (text, *, iostat=problem) s%warm
    case ('tau'); read (text, *, iostat=problem) s%tau
    case ('tau_minus'); read (text, *, iostat=problem) s%tau_minus
    case ('force'); read (text, *, iostat=problem) s%force
    case ('way'); s%way = text
    case ('flow'); s%flow = text
    case ('solid'); s%solid = text
    case ('result'); s%result = text
    case default; problem = 1
    end select
  end subroutine

end module
