!> Solvers against C++ on one rank, bit by bit, and against the equations that they solve; what is said of wrong ones.
module test_solvers
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_helmholtz, test_implicit_diffusion, test_own_lines, test_contiguous_columns, test_bad_solvers, &
            test_bad_lines
  integer, parameter :: nx = 24, ny = 18, nz = 6
  real(real64), parameter :: factors(nz) = [0.1_real64, 0.3_real64, 0.01_real64, 2.0_real64, 0.7_real64, 0.05_real64]
  real(real64), parameter :: spacing(2) = [2.0_real64, 1.5_real64]
  character(8), parameter :: ends(2) = ['periodic', 'neumann ']

  interface
    subroutine solved_in_cpp(nx, ny, levels, order, factors, values) bind(C)
      import :: c_double, c_int
      integer(c_int), value :: nx, ny, levels, order
      real(c_double), intent(in) :: factors(*)
      real(c_double), intent(inout) :: values(*)
    end subroutine
  end interface

  ! what the work on lines knows
  type(lapwing_line_transform) :: along_x, along_y
  real(real64), allocatable :: waves(:)
  integer :: wrong, seen

contains

  pure real(real64) function first(i, j, k)
    integer, intent(in) :: i, j, k

    first = 1 / real(1 + 7 * i + 3 * j * j + 11 * k, real64) - 0.01_real64 * mod(i * j, 7)
  end function

  !> A field of levels, stored level by level or levels first, with the values of `first`.
  subroutine make(comm, axes, domain, field, values)
    integer, intent(in) :: comm
    character(*), intent(in) :: axes
    type(lapwing_domain), intent(inout) :: domain
    type(lapwing_field), intent(inout) :: field
    real(real64), pointer, intent(out) :: values(:, :, :)
    integer :: i, j, k

    call domain%create(comm, [nx, ny])
    call field%declare(domain, 'p', levels=nz, axes=axes)
    call field%allocate()
    call field%get(values)
    do k = 1, nz
      do j = domain%j1, domain%j2
        do i = domain%i1, domain%i2
          if (axes == 'xyz') values(i, j, k) = first(i, j, k)
          if (axes == 'zxy') values(k, i, j) = first(i, j, k)
        end do
      end do
    end do
  end subroutine

  function given() result(values)
    real(real64) :: values(nx, ny, nz)
    integer :: i, j, k

    values = reshape([(((first(i, j, k), i=1, nx), j=1, ny), k=1, nz)], shape(values))
  end function

  !> order 0: Helmholtz.
  subroutine expect_as_in_cpp(domain, field, order, what)
    type(lapwing_domain), intent(in) :: domain
    type(lapwing_field), intent(in) :: field
    integer, intent(in) :: order
    character(*), intent(in) :: what
    real(real64), allocatable :: found(:, :, :), expected(:, :, :)

    call field%gather(found)
    if (domain%rank > 0) return
    expected = given()
    call solved_in_cpp(nx, ny, nz, int(order, c_int), factors, expected)
    call expect(all(found == expected), what//' has the bits of C++ on one rank')
  end subroutine

  subroutine test_helmholtz(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_helmholtz) :: equation
    real(real64), pointer :: values(:, :, :)
    real(real64), allocatable :: p(:, :, :)

    call make(comm, 'xyz', domain, field, values)
    call equation%create(domain, field, factors, spacing, ends)
    call equation%solve()
    call expect_as_in_cpp(domain, field, 0, 'a Helmholtz equation')
    call field%gather(p)
    if (domain%rank == 0) call expect(residual(p) < 1e-12_real64, 'the difference equation holds')
    call domain%close()
    ! levels first, in groups, by another method; the former equation goes
    call make(comm, 'zxy', domain, field, values)
    call equation%create(domain, field, factors, spacing, ends, method='alltoallv', groups=3)
    call equation%solve()
    call expect_as_in_cpp(domain, field, 0, 'a Helmholtz equation in groups')
    call domain%close()
  end subroutine

  !> The largest error of shift p - d2p/dx2 - d2p/dy2 = r.
  real(real64) function residual(p)
    real(real64), intent(in) :: p(:, :, :)
    real(real64), allocatable :: across(:, :, :), r(:, :, :)
    integer :: k

    allocate (across(nx, 0:ny + 1, nz))
    across(:, 1:ny, :) = p
    across(:, 0, :) = p(:, 1, :)
    across(:, ny + 1, :) = p(:, ny, :)
    across = (2 * across - cshift(across, 1, 2) - cshift(across, -1, 2)) / spacing(2)**2
    r = given()
    residual = 0
    do k = 1, nz
      across(:, 1:ny, k) = across(:, 1:ny, k) + factors(k) * p(:, :, k) - r(:, :, k) + &
                           (2 * p(:, :, k) - cshift(p(:, :, k), 1, 1) - cshift(p(:, :, k), -1, 1)) / spacing(1)**2
      residual = max(residual, maxval(abs(across(:, 1:ny, k))))
    end do
  end function

  subroutine test_implicit_diffusion(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_implicit_diffusion) :: diffusion
    real(real64), pointer :: values(:, :, :)
    real(real64) :: before, after
    integer :: order

    do order = 2, 4, 2
      call make(comm, 'xyz', domain, field, values)
      call field%reduce('sum', before)
      if (order == 2) call diffusion%create(domain, [field], factors, spacing, ends, order=2)
      if (order == 4) call diffusion%create(domain, [field], factors, spacing, ends, groups=2)
      call diffusion%apply()
      call expect_as_in_cpp(domain, field, order, 'implicit diffusion')
      call field%reduce('sum', after)
      call expect(abs(after - before) < 1e-11_real64, 'diffusion keeps the mean')
      call domain%close()
    end do
  end subroutine

  ! ---- the Helmholtz equation, by lines of the model's own

  subroutine forward(rows)
    type(lapwing_line_values), intent(inout) :: rows
    integer :: i, j, k

    do k = rows%k1, rows%k2
      do j = rows%j1, rows%j2
        do i = rows%i1, rows%i2
          if (rows%values(i, j, k) /= first(i, j, k)) wrong = wrong + 1
        end do
      end do
    end do
    seen = seen + size(rows%values)
    if (rows%i1 /= 1 .or. rows%i2 /= nx .or. rows%field /= 1) wrong = wrong + 1
    call along_x%forward(rows)
  end subroutine

  subroutine across(columns)
    type(lapwing_line_values), intent(inout) :: columns
    type(lapwing_tridiagonal) :: system
    real(real64), allocatable :: diagonal(:, :, :)
    integer :: i, j, k

    associate (c => columns)
      allocate (diagonal(c%i1:c%i2, c%k1:c%k2, ny))
      do j = 1, ny
        do k = c%k1, c%k2
          do i = c%i1, c%i2
            diagonal(i, k, j) = merge(1, 2, j == 1 .or. j == ny) / spacing(2)**2 + (factors(k) + waves(i))
          end do
        end do
      end do
      call system%create(reshape(diagonal, [size(diagonal) / ny, ny]), -1 / spacing(2)**2)
      call system%solve(columns)
      if (any(lbound(c%values) /= [c%i1, c%k1, 1]) .or. any(ubound(c%values) /= [c%i2, c%k2, ny])) wrong = wrong + 1
    end associate
  end subroutine

  subroutine backward(rows)
    type(lapwing_line_values), intent(inout) :: rows

    call along_x%backward(rows)
  end subroutine

  subroutine test_own_lines(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_line_solver) :: lines
    real(real64), pointer :: values(:, :, :)
    integer :: groups

    call along_x%create(nx, 'periodic')
    waves = along_x%eigenvalues(spacing(1))
    do groups = 1, 3, 2
      call make(comm, 'xyz', domain, field, values)
      call lines%create(domain, [field], groups=groups)
      wrong = 0
      call lines%run(forward, across, backward)
      call expect(wrong == 0, 'lines are those of their cells')
      call expect_as_in_cpp(domain, field, 0, 'an equation of lines')
      call domain%close()
    end do
  end subroutine

  ! ---- there and back along both axes

  subroutine along_columns(columns)
    type(lapwing_line_values), intent(inout) :: columns
    integer :: i, j, k

    do k = columns%k1, columns%k2
      do i = columns%i1, columns%i2
        do j = columns%j1, columns%j2
          if (columns%values(j, i, k) /= first(i, j, k)) wrong = wrong + 1
        end do
      end do
    end do
    if (columns%j1 /= 1 .or. columns%j2 /= ny) wrong = wrong + 1
    call along_y%forward(columns)
    call along_y%backward(columns)
  end subroutine

  subroutine as_they_are(rows)
    type(lapwing_line_values), intent(inout) :: rows

    seen = seen + size(rows%values)
  end subroutine

  subroutine test_contiguous_columns(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_line_solver) :: lines
    real(real64), pointer :: values(:, :, :)
    real(real64), allocatable :: found(:, :, :)
    real(real64) :: total

    call along_y%create(ny, 'neumann')
    call make(comm, 'zxy', domain, field, values)
    call lines%create(domain, [field], method='p2p', groups=2, contiguous_columns=.true.)
    wrong = 0
    seen = 0
    call lines%run(as_they_are, along_columns, as_they_are)
    call expect(wrong == 0, 'contiguous columns are those of their cells')
    call domain%reduce('sum', real(seen, real64), total)
    call expect(nint(total) == 2 * nx * ny * nz, 'each row comes once on the way there and once back')
    call field%gather(found)
    if (domain%rank == 0) call expect(maxval(abs(found - given())) < 1e-13_real64, 'transformed there and back')
    call domain%close()
  end subroutine

  ! ---- what is wrong

  subroutine test_bad_solvers(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain, never
    type(lapwing_field) :: field, bare, single, other, none
    type(lapwing_helmholtz) :: equation
    type(lapwing_implicit_diffusion) :: diffusion
    type(lapwing_line_solver) :: lines
    real(real64), pointer :: values(:, :, :)
    character(1000) :: errmsg
    integer :: stat

    call make(comm, 'xyz', domain, field, values)
    call equation%solve(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'Helmholtz equation: got null')
    call equation%create(never, field, factors, spacing, ends, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'call domain%create first')
    call equation%create(domain, none, factors, spacing, ends, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'field of a solver: got null')
    call equation%create(domain, field, factors(1:2), spacing, ends, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'got (2,) values; expected one finite number, or 6')
    call equation%create(domain, field, factors, spacing(1:1), ends, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'spacing along x: got 0')
    call equation%create(domain, field, factors, spacing, ['periodic', 'open    '], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'ends along y: got open; expected periodic, dirichlet or neumann')
    call equation%create(domain, field, factors, spacing, ends(1:1), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'ends along y')
    call equation%create(domain, field, [0.0_real64], spacing, ends, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'shift of the Helmholtz equation of level 0: got 0')
    ! one rank alone
    call equation%create(domain, field, factors, spacing, ends, groups=merge(1025, 1, domain%rank == 0), stat=stat, &
                         errmsg=errmsg)
    call expect_error(stat, errmsg, 'groups of a transpose: got 1025; expected 1 to 1024')
    call bare%declare(domain, 'bare')
    call equation%create(domain, bare, factors, spacing, ends, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'bare')
    call single%declare(domain, 'single', type=lapwing_real32)
    call single%allocate()
    call equation%create(domain, single, factors, spacing, ends, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'field single of a line solver: got float32')
    call diffusion%create(domain, [field], factors, spacing, ends, order=3, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'order of the diffusion: got 3')
    call diffusion%create(domain, [lapwing_field ::], factors, spacing, ends, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'fields of a line solver: got none')
    call lines%create(domain, [field], method='pigeon', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'pigeon')
    call equation%create(domain, field, factors, spacing, ends)
    call domain%close()
    call equation%solve(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'domain: got closed')
    call gone(comm, other)
    call other%modified(stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'field: got one that was freed')
  end subroutine

  !> A field whose domain goes when this ends.
  subroutine gone(comm, field)
    integer, intent(in) :: comm
    type(lapwing_field), intent(inout) :: field
    type(lapwing_domain) :: domain

    call domain%create(comm, [nx, ny])
    call field%declare(domain, 'orphan')
    call domain%close()
  end subroutine

  subroutine test_bad_lines()
    type(lapwing_line_transform) :: transform, never
    type(lapwing_tridiagonal) :: system
    real(real64), target :: line(7), rows(8, 3), values(2, 3)
    character(1000) :: errmsg
    integer :: stat

    call transform%create(0, 'neumann', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'points of a line: got 0')
    call transform%create(7, 'open', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'ends of a line: got open')
    line = [1, 2, 3, 4, 5, 6, 7]
    call never%forward(line, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'transform: got null')
    call transform%create(7, 'dirichlet')
    call transform%forward(line)
    call transform%backward(line)
    call expect(maxval(abs(line - [1, 2, 3, 4, 5, 6, 7])) < 1e-13_real64, 'a line, there and back')
    rows = 0
    call transform%forward(rows, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'lines of a transform: got 8 points; expected 7')
    call transform%forward(rows(1:7, :), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'without gaps')
    call system%create(reshape([real(real64) ::], [0, 3]), 1.0_real64, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'diagonal of tridiagonal systems')
    values = 1
    call system%solve(values, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'tridiagonal system: got null')
    call system%create(reshape([4, 4, 4, 4, 4, 4] * 1.0_real64, [2, 3]), -1.0_real64)
    call system%solve(values)
    call expect(maxval(abs(4 * values(:, 2) - values(:, 1) - values(:, 3) - 1)) < 1e-15_real64, 'a system is solved')
    call system%solve(rows(1:2, 1:3), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'right-hand sides: got another shape, or a slice with gaps')
  end subroutine
end module test_solvers
