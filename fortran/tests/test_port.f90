!> A small model with hand-placed exchanges, and what a port reports of them.
module test_port
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_port_calls, test_port_report, test_port_errors
  integer, parameter :: nx = 12, ny = 9, steps = 4

contains

  !> A domain of periodic blocks, cut as lapwing would.
  subroutine lay(comm, domain)
    integer, intent(in) :: comm
    type(lapwing_domain), intent(inout) :: domain

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
  end subroutine

  subroutine make(domain, width, array)
    type(lapwing_domain), intent(in) :: domain
    integer, intent(in) :: width
    real(real64), allocatable, intent(out) :: array(:, :)

    allocate (array(domain%i1 - width:domain%i2 + width, domain%j1 - width:domain%j2 + width), source=0.0_real64)
  end subroutine

  !> The owned cells of an array, another value in each cell and step.
  subroutine compute(domain, step, array)
    type(lapwing_domain), intent(in) :: domain
    integer, intent(in) :: step
    real(real64), allocatable, intent(inout) :: array(:, :)
    integer :: i, j

    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        array(i, j) = 1000 * step + 100 * j + i
      end do
    end do
  end subroutine

  subroutine test_port_report(comm)
    integer, intent(in) :: comm
    integer :: style

    do style = 1, 2
      call run_model(comm, style)
    end do
  end subroutine

  !> style 1: blocking calls, arrays that stay where they are; 2: start and wait.
  subroutine run_model(comm, style)
    integer, intent(in) :: comm, style
    type(lapwing_domain) :: domain
    type(lapwing_port) :: port
    real(real64), allocatable, target :: u(:, :), v(:, :), w(:, :), z(:, :), still(:, :), late(:, :)
    character(10000) :: report
    integer :: n

    call lay(comm, domain)
    call make(domain, 2, u)
    call make(domain, 1, v)
    call make(domain, 1, w)
    call make(domain, 1, z)
    call make(domain, 1, still)
    call make(domain, 1, late)
    call compute(domain, 0, still)
    call port%create(comm, [nx, ny], [domain%i1, domain%j1], [domain%i2, domain%j2], periodic=[.true., .true.], &
                     fixed=style == 1, report='port_test.json')
    call port%update_halo('still', still, 1)  ! set-up
    do n = 1, steps
      call port%begin_step()
      call compute(domain, n, u)
      call port%update_halo('u', u, 2, site='first')
      call expect(nint(u(domain%i1 - 1, domain%j1)) == value_of(n, domain%i1 - 1, domain%j1), 'the halo of u is filled')
      call expect(nint(u(domain%i2 + 2, domain%j2 + 2)) == value_of(n, domain%i2 + 2, domain%j2 + 2), 'and its corner')
      call port%update_halo('u', u, 2, site='again')
      call port%update_halo('still', still, 1)
      call compute(domain, n, v)
      call compute(domain, n, w)
      if (style == 1) then
        call port%update_halo('v', v, 1)
        call port%update_halo('w', w, 1)
      else
        call port%start_halo('v', v, 1)
        call port%start_halo('w', w, 1)
        call expect(nint(w(domain%i1 - 1, domain%j1)) /= value_of(n, domain%i1 - 1, domain%j1), 'a halo waits')
        call port%wait_halo('v')
        call port%wait_halo('w')
        call port%wait_halo('w')
      end if
      call expect(nint(w(domain%i1 - 1, domain%j1)) == value_of(n, domain%i1 - 1, domain%j1), 'the halo of w is filled')
      if (style == 1) then
        call compute(domain, n, late)
        call port%update_halo('late', late, 1)
      end if
      call compute(domain, n, z)
      call port%check_halo('z', z, 1)
      call port%check_halo('v', v, 1)
      call expect(nint(z(domain%i1 - 1, domain%j1)) /= value_of(n, domain%i1 - 1, domain%j1), 'a check changes nothing')
    end do
    call port%finish()
    call domain%close()
    if (domain%rank > 0) return
    call read_report(report, 'port_test.json')
    call expect_row(report, '"steps": 4, "set_up_calls": 1,', 'the head')
    call expect_row(report, '"field": "u", "site": "first", "width": 2, "calls": 4, "fills": true, "needless": 0,', 'u')
    call expect_row(report, '"field": "u", "site": "again", "width": 2, "calls": 4, "fills": true, "needless": 4,', 'u')
    call expect_row(report, '"field": "still", "site": "", "width": 1, "calls": 4, "fills": true, "needless": 4,', 'still')
    call expect(index(row_of(report, 'z'), '"stale": 4') > 0 .and. index(row_of(report, 'z'), '"first_step": 1') > 0, &
                'z is missing')
    call expect(index(row_of(report, 'v", "site": "", "width": 1, "calls": 4, "fills": true, "needless": 0'), &
                      '"combined": 0') > 0, 'v leads')
    ! A port that has not seen w before cannot know whether w was there when v left, unless both are on their way.
    if (style == 1) then
      call expect(index(row_of(report, 'w'), '"combined": 3, "with": "v"') > 0, 'w could follow v: '//row_of(report, 'w'))
    else
      call expect(index(row_of(report, 'w'), '"combined": 4, "with": "v"') > 0, 'w could join v: '//row_of(report, 'w'))
    end if
    if (style == 1) call expect(index(row_of(report, 'late'), '"combined": 0') > 0, 'late is not there before')
    call expect_checked(report)
  end subroutine

  pure integer function value_of(step, i, j)
    integer, intent(in) :: step, i, j

    value_of = 1000 * step + 100 * (modulo(j - 1, ny) + 1) + modulo(i - 1, nx) + 1
  end function

  subroutine expect_row(report, words, what)
    character(*), intent(in) :: report, words, what

    call expect(index(report, words) > 0, 'report of '//what//' lacks '//words//' in '//trim(report))
  end subroutine

  !> The check of v finds its halo fresh.
  subroutine expect_checked(report)
    character(*), intent(in) :: report
    integer :: at

    at = index(report, '{"call": "check_halo", "field": "v"')
    call expect(at > 0, 'v is checked')
    if (at > 0) call expect(index(row_at(report, at), '"stale": 0') > 0, 'v is fresh')
  end subroutine

  function row_of(report, field) result(row)
    character(*), intent(in) :: report, field
    character(:), allocatable :: row
    integer :: at

    at = index(report, '"field": "'//field)
    row = ''
    if (at > 0) row = row_at(report, at)
  end function

  function row_at(report, at) result(row)
    character(*), intent(in) :: report
    integer, intent(in) :: at
    character(:), allocatable :: row

    row = report(at:at + index(report(at:), '}'))
  end function

  subroutine read_report(report, file)
    character(*), intent(out) :: report
    character(*), intent(in) :: file
    character(1000) :: line
    integer :: unit, status

    report = ''
    open (newunit=unit, file=file, status='old')
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      report = trim(report)//trim(line)
    end do
    close (unit, status='delete')
  end subroutine

  !> Ranks that make different calls, or miss one: an error on all of them, and no wait for a rank that does not come.
  subroutine test_port_calls(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_port) :: port
    real(real64), allocatable, target :: u(:, :), z(:, :)
    character(1000) :: errmsg
    integer :: stat
    logical :: last

    call lay(comm, domain)
    call make(domain, 1, u)
    call make(domain, 1, z)
    last = domain%rank == domain%ranks - 1 .and. domain%ranks > 1
    call port%create(comm, [nx, ny], [domain%i1, domain%j1], [domain%i2, domain%j2], periodic=[.true., .true.])
    call port%begin_step()
    call port%start_halo('u', u, 1)
    if (.not. last) call port%wait_halo('u')
    call port%start_halo('u', u, 1, stat=stat, errmsg=errmsg)
    if (domain%ranks > 1) call expect_error(stat, errmsg, 'start_halo of field u: got a second start')
    call port%wait_halo('u')
    if (domain%ranks > 1) call port%update_halo('u', u, 1, axes=merge('yx', 'xy', last), stat=stat, errmsg=errmsg)
    if (domain%ranks > 1) call expect_error(stat, errmsg, 'width and axes of the halo of field u: got width 1 of yx')
    call port%update_halo('u', u, 1, stat=stat)
    call expect(stat == 0, 'a port goes on after another width or other axes')
    if (domain%ranks > 1) call miss_a_check(port, domain%rank == 0, z)
    if (domain%ranks == 1) call port%finish()
    call domain%close()
    if (domain%ranks == 1) call read_report(errmsg, 'port.json')
  end subroutine

  !> Rank 0 alone checks, and all then begin a step.
  subroutine miss_a_check(port, checks, z)
    type(lapwing_port), intent(inout) :: port
    logical, intent(in) :: checks
    real(real64), intent(inout), target :: z(:, :)
    character(1000) :: errmsg
    integer :: stat

    if (checks) then
      call port%check_halo('z', z, 1, stat=stat, errmsg=errmsg)
      call expect_error(stat, errmsg, 'calls of a port: got begin_step on rank 1; expected check_halo of field z, as on rank 0')
    end if
    call port%begin_step(stat=stat, errmsg=errmsg)
    if (.not. checks) call expect_error(stat, errmsg, 'calls of a port: got begin_step on rank 1; expected check_halo')
    call port%update_halo('z', z, 1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'got a call after ranks had made different ones')
    if (checks) call port%finish(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'make the same calls of the port on all ranks')
  end subroutine

  subroutine test_port_errors(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_port) :: port, never
    real(real64), allocatable, target :: u(:, :)
    real(real32), allocatable, target :: small(:, :)
    real(real64), pointer :: cut(:, :)
    character(1000) :: errmsg
    integer :: stat, wide

    call lay(comm, domain)
    call make(domain, 1, u)
    allocate (small(domain%i1 + 1:domain%i2, domain%j1:domain%j2), source=0.0)
    call never%update_halo('u', u, 1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'call port%create first')
    call never%begin_step(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'call port%create first')
    call port%create(comm, [nx, ny, 3], [1, 1, 1], [1, 1, 1], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'cells of a port: got other than two axes')
    call port%create(comm, [nx, ny], [domain%i1, domain%j1], [domain%i2, domain%j2], periodic=[.true., .true.], &
                     report='no/such/folder/port.json', stat=stat, errmsg=errmsg)
    call expect(stat == 0, 'a port')
    call port%update_halo('u', u, 2, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'halo of field u: got width 2; expected at most 1')
    call port%check_halo('u', u, -1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'halo of field u: got width -1')
    call port%update_halo('small', small, 1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'array of field small: got one that lacks cells')
    call port%update_halo('u', u, 1, axes='xyz', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'got dimensions that are not its axes')
    cut => u(:, domain%j1 - 1:domain%j2 + 1:2)
    call port%update_halo('u', cut, 1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'a slice with gaps')
    wide = merge(2, 1, domain%rank == domain%ranks - 1)  ! an error of one rank is an error on all
    call port%update_halo('u', u, wide, stat=stat, errmsg=errmsg)
    if (domain%ranks > 1) call expect_error(stat, errmsg, 'width and axes of the halo of field u: got width 2 of xy')
    call port%wait_halo('v', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'got no start of it')
    call port%start_halo('u', u, 1)
    call port%start_halo('u', u, 1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'got a second start')
    call port%wait_halo('u')
    call port%finish(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'report of a port: got no/such/folder/port.json')
    call domain%close()
  end subroutine
end module test_port
