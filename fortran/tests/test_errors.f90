!> Errors that a model may make: name, got, expected and remedy in errmsg, on all ranks.
module test_errors
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_bad_domains, test_bad_arrays, test_bad_steps, test_bad_bounds, test_moved_arrays

contains

  subroutine test_bad_domains(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: never, domain
    type(lapwing_field) :: field
    character(1000) :: errmsg
    integer :: stat

    call domain%create(comm, [0, 4], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'got')
    call domain%create(comm, [8, 8], blocks=[7, 7], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, '49')
    call domain%create(comm, [8, 8], numbering='lokal', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, "got 'lokal'; expected 'global' or 'local'")
    call domain%create_from_cells(comm, [8, 8], [1, 1], [9, 8], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'grid')
    call field%declare(never, 'a', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'call domain%create first')
  end subroutine

  subroutine test_bad_arrays(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field, other
    type(lapwing_exchange) :: exchange
    real(real64), pointer :: a(:, :), none(:, :)
    real(real32), pointer :: wrong_kind(:, :)
    character(1000) :: errmsg
    integer :: stat

    nullify (none)
    call domain%create(comm, [16, 16])
    allocate (a(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=0.0_real64)
    call field%wrap(domain, 'sea', none, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'array of field sea: got none')
    call field%wrap(domain, 'sea', a(:, domain%j1:domain%j2:2), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'array of field sea: got a slice with gaps')
    call field%wrap(domain, 'sea', a, axes='xz', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, "axes of field sea: got 'xz'")
    call field%wrap(domain, 'sea', a, axes='xyz', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, "axes of field sea: got 'xyz'")
    call field%wrap(domain, 'sea', a, halo=around(2), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'memory of field sea')
    call field%wrap(domain, 'sea', a, location='middle', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'location of a field')
    call field%modified(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'field%declare first')
    call exchange%create(domain, [field], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'field of an exchange: got null')
    call exchange%run(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'exchange: got null')
    call other%declare(domain, 'other')
    call other%get(a, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'other')
    call other%allocate()
    call other%get(wrong_kind, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'pointer to field other: got another type')
    call expect(.not. associated(wrong_kind), 'no pointer where the type is wrong')
    call exchange%create(domain, [other], transport='pigeon', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'pigeon')
    call test_bad_arrays_of_calls(domain)
    call domain%close()
  end subroutine

  subroutine test_bad_arrays_of_calls(domain)
    type(lapwing_domain), intent(inout) :: domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    real(real64), pointer :: a(:, :), none(:, :), deep(:, :, :)
    real(real32), pointer :: wrong_kind(:, :)
    character(1000) :: errmsg
    integer :: stat

    nullify (none)
    allocate (a(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=0.0_real64)
    allocate (wrong_kind(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=0.0)
    allocate (deep(4, 4, 4), source=0.0_real64)
    call field%declare(domain, 'sea', axes='xy', halo=around(1))
    call exchange%take(1, a, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'create_for_arrays made')
    call exchange%create_for_arrays(domain, [field], transport='pull', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'transport: got pull')
    call exchange%create_for_arrays(domain, [field], transport='p2p')
    call exchange%run(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'none for field sea')
    call exchange%take(2, a, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'expected 1 to the number of fields')
    call exchange%take(1, none, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'array of field sea: got none')
    call exchange%take(1, wrong_kind, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'array of field sea: got none, another type')
    call exchange%take(1, deep, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'more dimensions')
    call exchange%take(1, a(:, domain%j1:domain%j2:2), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'got a slice with gaps')
    call exchange%take(1, a(domain%i1:domain%i2, domain%j1 - 1:domain%j2 + 1), stat=stat, errmsg=errmsg)
    call expect(stat /= 0, 'an array without halo is refused')
    call exchange%take(1, a, stat=stat, errmsg=errmsg)
    call expect(stat == 0, 'an array that fits')
  end subroutine

  !> Arrays that do not hold the cells of their rank, or hold what they say in too few dimensions.
  subroutine test_bad_bounds(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    real(real64), allocatable, target :: small(:, :), shifted(:, :), cube(:, :, :)
    real(real64), pointer :: five(:, :, :, :, :), values(:, :, :)
    character(1000) :: errmsg
    integer :: stat

    call domain%create(comm, [16, 16])
    allocate (small(domain%i1 + 1:domain%i2, domain%j1:domain%j2), source=0.0_real64)
    call field%wrap(domain, 'small', small, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'bounds of array small along x: got ')
    ! of a model that counts from 1 on every rank, which did not say so
    allocate (shifted(domain%i1 + 100:domain%i2 + 101, domain%j1:domain%j2 + 1), source=0.0_real64)
    call field%wrap(domain, 'shifted', shifted, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'expected at least ')
    allocate (five(1, 1, 1, 1, 1))
    call field%wrap(domain, 'five', five, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'axes of field five')
    ! levels of a grid that has its z axis cut are cells
    call domain%close()
    call domain%create(comm, [8, 8, 8])
    allocate (cube(domain%i1:domain%i2, domain%j1:domain%j2, domain%k1:domain%k2 - 1), source=0.0_real64)
    call field%wrap(domain, 'cube', cube, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'bounds of array cube along z')
    call field%declare(domain, 'flat', axes='xy')
    call field%allocate()
    call field%get(values, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'pointer to field flat: got another type, or more dimensions')
    call domain%close()
    deallocate (five)
  end subroutine

  subroutine test_moved_arrays(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    real(real64), pointer :: a(:, :), first(:, :)
    real(real32), pointer :: other_kind(:, :)
    character(1000) :: errmsg
    integer :: stat

    call domain%create(comm, [16, 16], periodic=[.true., .true.])
    allocate (a(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=0.0_real64)
    allocate (other_kind(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1))
    call field%check_array(a, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'field%wrap or field%declare first')
    call field%wrap(domain, 'sea', a)
    call field%check_array(a, stat=stat, errmsg=errmsg)
    call expect(stat == 0, 'an array that stays where it is')
    call field%check_array(other_kind, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'array of field sea: got one that was freed, moved')
    first => a
    allocate (a(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=1.0_real64)
    call field%check_array(a, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'array of field sea: got one that was freed, moved')
    deallocate (first)
    nullify (first)
    call field%check_array(first, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'array of field sea: got one that was freed, moved')
    ! the remedy
    call field%wrap(domain, 'sea', a)
    call field%check_array(a)
    a(domain%i1:domain%i2, domain%j1:domain%j2) = 3
    call exchange%create(domain, [field])
    call exchange%run()
    call expect(all(a == 3), 'an array that is wrapped again is exchanged')
    call domain%close()
    deallocate (a, other_kind)
  end subroutine

  subroutine nothing(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    if (i1 > i2 .or. j1 > j2) error stop 'an empty box'
  end subroutine

  subroutine test_bad_steps(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain, deep
    type(lapwing_field) :: field, cube, never
    real(real64) :: mean
    character(1000) :: errmsg
    integer :: stat

    call domain%create(comm, [16, 16])
    call field%declare(domain, 'a')
    call try('sideways', [writes(field)])
    call expect_error(stat, errmsg, 'sideways')
    call try('blocking', [writes(field), updates(field)])
    call expect_error(stat, errmsg, 'a')
    call try('blocking', [lapwing_use ::])
    call expect_error(stat, errmsg, 'stage nothing')
    call deep%create(comm, [8, 8, 8])
    call cube%declare(deep, 'cube')
    call try_3d()
    call expect_error(stat, errmsg, 'kernel of stage nothing: got one of the other kind')
    call try_declarations(never)
    call field%reduce('mean', mean, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, "kind of a reduction: got 'mean'")
    call domain%close()
    call deep%close()
  contains
    subroutine try_declarations(undeclared)
      type(lapwing_field), intent(in) :: undeclared
      type(lapwing_step) :: strip, counted, late
      type(lapwing_reduction) :: number, most
      integer :: n

      call try('blocking', [writes(undeclared)])
      call expect_error(stat, errmsg, 'stage nothing, fields: got one that was neither declared')
      call try('blocking', [reads(field, ahead('q'))])
      call expect_error(stat, errmsg, '-1')
      call try('blocking', [reads(field, ahead('x', -1))])
      call expect_error(stat, errmsg, '-1')
      call strip%stage('strip', nothing, [writes(field)], on=[1, 2, 3])
      call strip%create(domain, stat=stat, errmsg=errmsg)
      call expect_error(stat, errmsg, 'stage strip, on: got another count of numbers')
      call counted%stage('counted', nothing, [writes(field)], reduces=number)
      call counted%create(domain, stat=stat, errmsg=errmsg)
      call expect_error(stat, errmsg, 'stage counted, number that it reduces: got one that was not created')
      call most%create('maximum')
      call try('blocking', [as_wide_as(reads(field, around(9)), most, [(n, n=1, 9)])])
      call expect_error(stat, errmsg, '-1')
      call late%stage('first', nothing, [writes(field)])
      call late%create(domain)
      call late%create(domain, stat=stat, errmsg=errmsg)
      call expect_error(stat, errmsg, 'step: got one that was created before')
      call late%stage('second', nothing, [writes(field)])
      call late%run(1, stat=stat, errmsg=errmsg)
      call expect_error(stat, errmsg, 'step: got stages that were declared after it was created')
    end subroutine

    subroutine try(strategy, uses)
      character(*), intent(in) :: strategy
      type(lapwing_use), intent(in) :: uses(:)
      type(lapwing_step) :: step

      call step%stage('nothing', nothing, uses)
      call step%create(domain, strategy=strategy, stat=stat, errmsg=errmsg)
    end subroutine

    subroutine try_3d()
      type(lapwing_step) :: step

      call step%stage('nothing', nothing, [writes(cube)])
      call step%create(deep, stat=stat, errmsg=errmsg)
    end subroutine
  end subroutine
end module test_errors
