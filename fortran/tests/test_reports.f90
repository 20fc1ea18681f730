!> Numbers of all ranks outside a step, and what a step tells of its exchanges.
module test_reports
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_quiet_nan, ieee_value
  use, intrinsic :: iso_fortran_env, only: int32, real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_reductions, test_census
  integer, parameter :: nx = 16, ny = 12
  integer :: calls

contains

  subroutine test_reductions(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain, never
    type(lapwing_field) :: field, bare, none
    real(real64), pointer :: values(:, :)
    integer(int32), allocatable, target :: counts(:, :)
    character(1000) :: errmsg
    real(real64) :: found, mine
    integer :: stat

    call domain%create(comm, [nx, ny])
    mine = domain%rank + 1
    call domain%reduce('minimum', mine, found)
    call expect(found == 1, 'the least of all ranks')
    call domain%reduce('maximum', mine, found)
    call expect(found == domain%ranks, 'the largest of all ranks')
    call domain%reduce('sum', 2 * mine, found)
    call expect(found == domain%ranks * (domain%ranks + 1), 'the sum of all ranks')
    if (domain%rank == domain%ranks - 1) mine = ieee_value(mine, ieee_quiet_nan)
    call domain%reduce('maximum', mine, found)
    call expect(ieee_is_nan(found), 'NaN of one rank')

    call field%declare(domain, 'a')
    call field%allocate()
    call field%get(values)
    values = 0.1_real64
    call field%reduce('sum', found)
    call expect(found == 0.1_real64 * (nx * ny), 'a sum is exact and rounded once')
    if (domain%i1 == 1 .and. domain%j1 == 1) values(1, 1) = -1
    call field%reduce('minimum', found)
    call expect(found == -1, 'the least value of a field')
    if (domain%i1 == 1 .and. domain%j1 == 1) values(1, 1) = ieee_value(mine, ieee_quiet_nan)
    call field%reduce('minimum', found)
    call expect(ieee_is_nan(found), 'NaN in a field')
    allocate (counts(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=-9_int32)
    counts(domain%i1:domain%i2, domain%j1:domain%j2) = 3
    call bare%wrap(domain, 'counts', counts)
    call bare%reduce('sum', found)
    call expect(nint(found) == 3 * nx * ny, 'the halo of a field does not count')

    call domain%reduce('mean', mine, found, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'kind of a reduction')
    call never%reduce('sum', mine, found, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'call domain%create first')
    call none%reduce('sum', found, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'field%declare first')
    call bare%declare(domain, 'bare')
    call bare%reduce('sum', found, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'bare')
    call domain%close()
  end subroutine

  subroutine read_ahead(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    calls = calls + (i2 - i1 + 1) * (j2 - j1 + 1)
  end subroutine

  subroutine write_it(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    calls = calls + (i2 - i1 + 1) * (j2 - j1 + 1)
  end subroutine

  subroutine test_census(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: a, b
    type(lapwing_step) :: step, never
    type(lapwing_census_entry), allocatable :: entries(:)
    character(1000) :: errmsg
    integer :: stat

    call domain%create(comm, [nx, ny])
    call a%declare(domain, 'a')
    call b%declare(domain, 'b')
    call step%stage('there', read_ahead, [writes(b), reads(a, ahead('x'))])
    call step%stage('back', write_it, [updates(a)])
    call step%create(domain)
    call step%census(entries)
    call expect(size(entries) == 0, 'no census where nobody observes')
    call step%observe()
    call step%run(5)
    call step%census(entries)
    call expect(size(entries) == 1, 'one exchange per step')
    associate (entry => entries(1))
      call expect(entry%stage == 'there' .and. entry%fields == 'a' .and. entry%needless == '', 'names of the census')
      call expect(entry%runs == 5 .and. entry%position == 1 .and. entry%steady .and. .not. entry%unasked, &
                  'numbers of the census')
      call expect(domain%ranks > 1 .or. entry%messages == 0, 'one rank sends nothing')
      call expect(min(entry%packing, entry%late, entry%transfer) >= 0, 'times of the census')
    end associate
    call step%observe(.false.)
    call step%census(entries)
    call expect(size(entries) == 0, 'a census that is over')
    call never%observe(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'step: got null')
    call never%census(entries, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'step: got null')
    call domain%close()
  end subroutine
end module test_reports
