! The potential of two charges: sines along whole rows, elimination along whole columns, and transposes between.
!
! cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t poisson_fortran
! mpiexec -n 2 ../build/poisson_fortran
! prints: potential at (16, 12): 0.274196147
module poisson
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none
  integer, parameter :: nx = 47, ny = 31, wp = real64
  real(wp), parameter :: pi = acos(-1.0_wp)
contains
  !> The sine transform of a row; twice, times 2 / (nx + 1), gives the row again.
  pure function sines(row) result(waves)
    real(wp), intent(in) :: row(nx)
    real(wp) :: waves(nx)
    integer :: i, k
    waves = [(sum(row * [(sin(pi * i * k / (nx + 1)), i=1, nx)]), k=1, nx)]
  end function

  !> Solves (2 - 2 cos(pi k / (nx + 1))) p - d2p/dy2 = r along a column of waves k: r becomes p.
  pure subroutine eliminate(column, k)
    real(wp), intent(inout) :: column(ny)
    integer, intent(in) :: k
    real(wp) :: pivot(ny)
    integer :: j
    pivot(1) = 4 - 2 * cos(pi * k / (nx + 1))
    do j = 2, ny
      pivot(j) = pivot(1) - 1 / pivot(j - 1)
      column(j) = column(j) + column(j - 1) / pivot(j - 1)
    end do
    column(ny) = column(ny) / pivot(ny)
    do j = ny - 1, 1, -1
      column(j) = (column(j) + column(j + 1)) / pivot(j)
    end do
  end subroutine

  subroutine run(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: ranks, rows, columns
    type(lapwing_field) :: row_field, column_field
    type(lapwing_transpose) :: there, back
    real(wp), pointer :: p(:, :), waves(:, :)
    real(wp), allocatable :: potential(:, :)
    integer :: i, j

    call ranks%create(comm, [nx, ny])
    call rows%create(comm, [nx, ny], blocks=[1, ranks%ranks])
    call columns%create(comm, [nx, ny], blocks=[ranks%ranks, 1])
    call row_field%declare(rows, 'p')
    call row_field%allocate()
    call row_field%get(p)
    call column_field%declare(columns, 'waves', axes='yx')  ! columns are contiguous here
    call column_field%allocate()
    call column_field%get(waves)
    call there%create([row_field], [column_field])
    call back%create([column_field], [row_field])

    do j = rows%j1, rows%j2
      if (j == 11) p(16, j) = 1
      if (j == 21) p(32, j) = -1
      p(:, j) = sines(p(:, j))
    end do
    call there%run()
    do i = columns%i1, columns%i2
      call eliminate(waves(:, i), i)
    end do
    call back%run()
    do j = rows%j1, rows%j2
      p(:, j) = 2.0_wp / (nx + 1) * sines(p(:, j))
    end do
    call row_field%gather(potential)
    if (rows%rank == 0) print '(a, f11.9)', 'potential at (16, 12): ', potential(17, 13)
    call rows%close()
  end subroutine
end module poisson

program main
  use poisson, only: run
  use lapwing, only: lapwing_run
  call lapwing_run(run)
end program
