!> Records and restarts of arrays of a model, which other ranks read again, and what is said of those that do not fit.
module test_stores
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_records_and_restart, test_bad_stores
  integer, parameter :: nx = 13, ny = 9, nz = 3

contains

  pure real(real64) function code(i, j, k)
    integer, intent(in) :: i, j, k

    code = i + 100 * j + 10000 * k
  end function

  !> A sheet of the model's own, with a frame, and levels that lapwing allocates.
  subroutine make_fields(comm, blocks, domain, sheet, layers, h, u)
    integer, intent(in) :: comm, blocks(2)
    type(lapwing_domain), intent(inout) :: domain
    type(lapwing_field), intent(inout) :: sheet, layers
    real(real64), pointer, intent(out) :: h(:, :), u(:, :, :)

    call domain%create(comm, [nx, ny], blocks=blocks)
    allocate (h(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1))
    h = -1
    call sheet%wrap(domain, 'h', h)
    call sheet%describe(units='m', standard_name='sea_surface_height_above_geoid')
    call layers%declare(domain, 'u', location='xface', levels=nz, axes='zxy')
    call layers%allocate()
    call layers%get(u)
    u = -1
  end subroutine

  subroutine fill(domain, h, u, add)
    type(lapwing_domain), intent(in) :: domain
    real(real64), intent(inout), pointer :: h(:, :), u(:, :, :)
    real(real64), intent(in) :: add
    integer :: i, j, k

    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        h(i, j) = code(i, j, 0) + add
        do k = 1, nz
          u(k, i, j) = code(i, j, k) + add
        end do
      end do
    end do
  end subroutine

  logical function filled(domain, h, u, add)
    type(lapwing_domain), intent(in) :: domain
    real(real64), intent(in), pointer :: h(:, :), u(:, :, :)
    real(real64), intent(in) :: add
    integer :: i, j, k

    filled = .true.
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        filled = filled .and. h(i, j) == code(i, j, 0) + add
        do k = 1, nz
          if (i == nx) cycle  ! beyond the last xface there is nothing to store
          filled = filled .and. u(k, i, j) == code(i, j, k) + add
        end do
      end do
    end do
  end function

  !> The six lines of a model, and a second domain, cut the other way, that goes on from them.
  subroutine test_records_and_restart(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain, other, all
    type(lapwing_field) :: sheet, layers, sheet_there, layers_there
    type(lapwing_records) :: records, records_there
    type(lapwing_restart) :: restart, restart_there
    real(real64), pointer :: h(:, :), u(:, :, :), h_there(:, :), u_there(:, :, :)
    integer :: step, j
    character(40) :: name
    real(real64), parameter :: y(ny) = [(50.0_real64 + j, j=1, ny)]

    call all%create(comm, [nx, ny])
    write (name, '(a, i0)') 'fortran_stores_', all%ranks  ! tests of other numbers of ranks run at the same time
    call make_fields(comm, [all%ranks, 1], domain, sheet, layers, h, u)
    call records%create(domain, trim(name)//'.zarr', [sheet], fixed=[layers], start='2001-01-01', title='a trial', &
                        y=y, y_units='m')
    call restart%create(domain, trim(name)//'_restart.zarr', [sheet, layers])
    call fill(domain, h, u, 0.5_real64)
    call records%write(0.0_real64)
    call fill(domain, h, u, 0.25_real64)
    call records%write(60.0_real64, 7)
    call restart%write(7)
    call records%close()

    call make_fields(comm, [1, all%ranks], other, sheet_there, layers_there, h_there, u_there)
    call restart_there%create(other, trim(name)//'_restart.zarr', [sheet_there, layers_there])
    call restart_there%read(step)
    call expect(step == 7, 'a restart knows its step')
    call expect(filled(other, h_there, u_there, 0.25_real64), 'a restart has the bits of the state')
    call records_there%create(other, trim(name)//'.zarr', [sheet_there], fixed=[layers_there], start='2001-01-01', &
                              title='a trial', y=y, y_units='m', keep_until=60.0_real64)
    call records_there%read(0.0_real64, step)
    call expect(step == 0, 'a record has its number as its step')
    call expect(filled(other, h_there, u_there, 0.5_real64), 'a record has the bits of the fields')
    call records_there%close()
    call domain%close()
    call other%close()
    call all%close()
  end subroutine

  subroutine test_bad_stores(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field, nothing
    type(lapwing_records) :: records
    type(lapwing_restart) :: restart
    integer :: stat
    character(300) :: message

    call domain%create(comm, [nx, ny])
    call field%declare(domain, 'f')
    call field%allocate()
    call records%create(domain, 'records.nc', [field], stat=stat, errmsg=message)
    call expect_error(stat, message, 'a name that ends in .zarr')
    call records%create(domain, 'fortran_bad.zarr', [nothing], stat=stat, errmsg=message)
    call expect_error(stat, message, 'field of records: got null')
    call records%write(0.0_real64, stat=stat, errmsg=message)
    call expect_error(stat, message, 'records: got null')
    call records%create(domain, 'fortran_bad.zarr', [field], y=[1.0_real64], stat=stat, errmsg=message)
    call expect_error(stat, message, 'values of axis y of records: got 1')
    call restart%create(domain, 'no_such.zarr', [field])
    call restart%read(stat=stat, errmsg=message)
    call expect_error(stat, message, 'No such file or directory')
    call domain%close()
  end subroutine
end module test_stores
