! Transfers between two images, as the report on coarrays timed them: see README.md.
!
! transfers key=value ...
!   what=ring     every image sends to the next one and receives from the one before
!        bounce   image 1 sends to image 2, which sends back
!        overlap  ring with arithmetic of `flops` operations between the transfer and what waits for it
!   way=push | pull | elements | mpi      elements: one value to a statement, pushed
!   bytes=4194304  rounds=20  flops=0     operations of the arithmetic; 0 in overlap: as long as the transfer takes
! Image 1 prints the seconds of a round: of the transfer; with what=overlap also of the arithmetic, and of both.
program transfers
  use, intrinsic :: iso_fortran_env, only: real64, int64
  use messages, only: start_shift, finish_shift, bounce
  implicit none

  character(20) :: what = 'ring', way = 'push'
  integer :: bytes = 4194304, rounds = 20
  integer(int64) :: flops = 0
  real(real64), allocatable :: sent(:)[:], got(:)[:]
  real(real64) :: seconds(3), result = 0.0_real64
  integer :: me, values

  call read_options()
  me = this_image()
  values = bytes / 8
  if (num_images() < 2) error stop 'transfers: two images are needed'
  allocate (sent(values)[*], got(values)[*])
  sent = real(me, real64)
  got = 0.0_real64
  seconds = 0.0_real64
  call time_rounds(.true., .false., seconds(1))
  call check()
  if (what == 'overlap') then
    if (flops == 0) call choose_flops(seconds(1))
    call time_rounds(.false., .true., seconds(2))
    call time_rounds(.true., .true., seconds(3))
  end if
  if (me == 1) print '(a, 3es14.6)', 'seconds', seconds
  if (result < 0.0_real64) print *, result  ! the arithmetic is not left out
  sync all

contains

  subroutine time_rounds(communicates, computes, mean)
    logical, intent(in) :: communicates, computes
    real(real64), intent(out) :: mean
    integer(int64) :: began, ended, rate
    integer :: n

    call one_round(communicates, computes)
    sync all
    call system_clock(began, rate)
    do n = 1, rounds
      call one_round(communicates, computes)
    end do
    sync all
    call system_clock(ended)
    mean = real(ended - began, real64) / real(rate, real64) / rounds
  end subroutine

  ! A transfer, arithmetic, or both: the arithmetic comes between the statement and the synchronization.
  subroutine one_round(communicates, computes)
    logical, intent(in) :: communicates, computes

    if (what == 'bounce') then
      if (me <= 2) call bounce_once()
      return
    end if
    if (way == 'mpi') then
      if (communicates) call start_shift(sent, got, values, modulo(me, num_images()), modulo(me - 2, num_images()))
      if (computes) call compute()
      if (communicates) call finish_shift()
      return
    end if
    sync all
    if (communicates) call transfer(1 + modulo(me, num_images()), 1 + modulo(me - 2, num_images()))
    if (computes) call compute()
    sync all
  end subroutine

  subroutine transfer(next, before)
    integer, intent(in) :: next, before
    integer :: n

    select case (way)
    case ('push'); got(:)[next] = sent(:)
    case ('pull'); got(:) = sent(:)[before]
    case ('elements')
      do n = 1, values
        got(n)[next] = sent(n)
      end do
    end select
  end subroutine

  subroutine bounce_once()
    integer :: turn, other

    other = 3 - me
    if (way == 'mpi') then
      call bounce(sent, values, me - 1, other - 1)
      if (me == 2) got = sent
      return
    end if
    do turn = 1, 2
      if (way == 'pull' .eqv. me /= turn) call transfer(other, other)
      sync images (other)
    end do
  end subroutine

  subroutine compute()
    integer(int64) :: n
    real(real64) :: x

    x = real(me, real64)
    do n = 1, flops / 2
      x = x * 0.999999999_real64 + 1.0e-9_real64
    end do
    result = result + x
  end subroutine

  ! As many operations as take about as long as a transfer does, the same on all images.
  subroutine choose_flops(wanted)
    real(real64), intent(in) :: wanted
    real(real64), allocatable :: one[:]

    allocate (one[*])
    flops = 20000000
    call time_rounds(.false., .true., one)
    sync all
    flops = nint(flops * wanted / one[1], int64)
    sync all
  end subroutine

  ! Stops where a value is not the sender's.
  subroutine check()
    real(real64) :: wanted

    wanted = real(1 + modulo(me - 2, num_images()), real64)
    if (what == 'bounce') then
      if (me > 2 .or. way == 'mpi') return
      wanted = real(3 - me, real64)
    end if
    if (any(got /= wanted)) error stop 'transfers: a value has not arrived'
  end subroutine

  subroutine read_options()
    character(100) :: word
    integer :: n, equals, problem

    do n = 1, command_argument_count()
      call get_command_argument(n, word)
      equals = index(word, '=')
      problem = 0
      select case (word(:equals - 1))
      case ('what'); what = word(equals + 1:)
      case ('way'); way = word(equals + 1:)
      case ('bytes'); read (word(equals + 1:), *, iostat=problem) bytes
      case ('rounds'); read (word(equals + 1:), *, iostat=problem) rounds
      case ('flops'); read (word(equals + 1:), *, iostat=problem) flops
      case default; problem = 1
      end select
      if (problem /= 0) error stop 'transfers: cannot read '//trim(word)
    end do
    if (all(['ring   ', 'bounce ', 'overlap'] /= what)) error stop 'transfers: unknown what='//trim(what)
    if (all(['push    ', 'pull    ', 'elements', 'mpi     '] /= way)) error stop 'transfers: unknown way='//trim(way)
  end subroutine

end program
