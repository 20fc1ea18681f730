!> Transposes from columns to lines of cells and back, in any order of axes, and what is said of fields that do not fit.
module test_transposes
  use, intrinsic :: iso_fortran_env, only: int32, real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_lines_and_back, test_blocks, test_groups, test_bad_transposes
  integer, parameter :: nx = 13, ny = 9, nz = 6
  real(real64), pointer :: lines(:, :, :)
  integer :: worked, wrong

contains

  pure integer function code(i, j, k)
    integer, intent(in) :: i, j, k

    code = i + 100 * j + 10000 * k
  end function

  !> Columns of a sheet, with a field of levels that holds the code of each cell.
  subroutine make_columns(comm, columns, field, values)
    integer, intent(in) :: comm
    type(lapwing_domain), intent(inout) :: columns
    type(lapwing_field), intent(inout) :: field
    real(real64), pointer, intent(out) :: values(:, :, :)
    integer :: i, j, k

    call columns%create(comm, [nx, ny])
    call field%declare(columns, 'columns', levels=nz, axes='zxy')
    call field%allocate()
    call field%get(values)
    do j = columns%j1, columns%j2
      do i = columns%i1, columns%i2
        do k = 1, nz
          values(k, i, j) = code(i, j, k)
        end do
      end do
    end do
  end subroutine

  subroutine test_lines_and_back(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: columns, along_x, along_y
    type(lapwing_field) :: field, x_field, y_field
    type(lapwing_transpose) :: to_x, to_y, back
    real(real64), pointer :: values(:, :, :), x_lines(:, :, :), y_lines(:, :, :)
    logical :: complete
    integer :: i, j, k

    call make_columns(comm, columns, field, values)
    call along_x%create_lines(columns, 'x', nz)
    call along_y%create_lines(columns, 'y', nz)
    call expect(along_x%i1 == 1 .and. along_x%i2 == nx, 'lines along x are whole')
    call expect(along_y%j1 == 1 .and. along_y%j2 == ny, 'lines along y are whole')
    call x_field%declare(along_x, 'x lines')
    call x_field%allocate()
    call x_field%get(x_lines)
    call y_field%declare(along_y, 'y lines', axes='yxz')
    call y_field%allocate()
    call y_field%get(y_lines)
    call to_x%create([field], [x_field])
    call to_x%run()
    wrong = 0
    do k = along_x%k1, along_x%k2
      do j = along_x%j1, along_x%j2
        do i = 1, nx
          if (x_lines(i, j, k) /= code(i, j, k)) wrong = wrong + 1
        end do
      end do
    end do
    call expect(wrong == 0, 'values in lines along x')
    call to_y%create([x_field], [y_field], method='alltoallv')
    call expect(to_y%method() == 'alltoallv', 'the method has its name')
    call to_y%run()
    wrong = 0
    do k = along_y%k1, along_y%k2
      do i = along_y%i1, along_y%i2
        do j = 1, ny
          if (y_lines(j, i, k) /= code(i, j, k)) wrong = wrong + 1
        end do
      end do
    end do
    call expect(wrong == 0, 'values in lines along y, y fastest')
    y_lines = 2 * y_lines
    call back%create([y_field], [field])
    call back%start()
    complete = .false.
    do while (.not. complete)
      call back%test(complete)
    end do
    call back%wait()
    wrong = 0
    do j = columns%j1, columns%j2
      do i = columns%i1, columns%i2
        do k = 1, nz
          if (values(k, i, j) /= 2 * code(i, j, k)) wrong = wrong + 1
        end do
      end do
    end do
    call expect(wrong == 0, 'values back in columns')
    call along_y%close()
    call along_x%close()
    call columns%close()
  end subroutine

  !> Any two ways to cut a grid: strips along x and along y, of integers.
  subroutine test_blocks(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: wide, tall
    type(lapwing_field) :: from, to
    type(lapwing_transpose) :: transpose
    integer(int32), pointer :: source(:, :), target(:, :)
    integer :: ranks, i, j

    call wide%create(comm, [nx, ny])
    ranks = wide%ranks
    call wide%close()
    call wide%create(comm, [nx, ny], blocks=[1, ranks])
    call tall%create(comm, [nx, ny], blocks=[ranks, 1])
    call from%declare(wide, 'from', type=lapwing_int32)
    call from%allocate()
    call from%get(source)
    call to%declare(tall, 'to', type=lapwing_int32)
    call to%allocate()
    call to%get(target)
    do j = wide%j1, wide%j2
      do i = 1, nx
        source(i, j) = code(i, j, 0)
      end do
    end do
    call transpose%create([from], [to])
    call transpose%run()
    wrong = 0
    do j = 1, ny
      do i = tall%i1, tall%i2
        if (target(i, j) /= code(i, j, 0)) wrong = wrong + 1
      end do
    end do
    call expect(wrong == 0, 'values between two block domains')
    call wide%close()
    call tall%close()
  end subroutine

  subroutine work(i1, i2, j1, j2, k1, k2)
    integer, intent(in) :: i1, i2, j1, j2, k1, k2
    integer :: i, j, k

    do k = k1, k2
      do j = j1, j2
        do i = i1, i2
          worked = worked + 1
          if (lines(i, j, k) /= code(i, j, k)) wrong = wrong + 1
        end do
      end do
    end do
  end subroutine

  subroutine test_groups(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: columns, along_x
    type(lapwing_field) :: field, x_field
    type(lapwing_transpose) :: transpose
    real(real64), pointer :: values(:, :, :)

    call make_columns(comm, columns, field, values)
    call along_x%create_lines(columns, 'x', nz)
    call x_field%declare(along_x, 'x lines')
    call x_field%allocate()
    call x_field%get(lines)
    call transpose%create([field], [x_field], groups=2)
    worked = 0
    wrong = 0
    call transpose%run(work)
    call expect(worked == size(lines) .and. wrong == 0, 'work on what has arrived, once for each cell')
    call along_x%close()
    call columns%close()
  end subroutine

  subroutine test_bad_transposes(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: columns, along_x
    type(lapwing_field) :: field, numbers, bare
    type(lapwing_transpose) :: transpose
    real(real64), pointer :: values(:, :, :)
    character(1000) :: errmsg
    integer :: stat

    call make_columns(comm, columns, field, values)
    call along_x%create_lines(columns, 'z', nz, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'axis of lines')
    call along_x%create_lines(columns, 'x', nz)
    call numbers%declare(along_x, 'numbers', type=lapwing_int32)
    call bare%declare(along_x, 'bare')
    call transpose%create([field], [bare], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'bare')
    call numbers%allocate()
    call bare%allocate()
    call transpose%create([field], [numbers], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'two fields of one type')
    call transpose%create([field], [bare], method='pigeon', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'pigeon')
    call transpose%create([field, field], [bare], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'target of a transpose: got null')
    call transpose%create([lapwing_field ::], [bare], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'first source: got null')
    call transpose%run(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'transpose: got null')
    call along_x%close()
    call columns%close()
  end subroutine
end module test_transposes
