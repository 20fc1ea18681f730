!> Whole lines of cells, for equations of one's own: solvers that bring them, their transforms, tridiagonal systems.
module lapwing_lines
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_funloc, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing_c_solvers, only: c_line_solver_create, c_line_solver_free, c_line_solver_run, c_line_transform_backward, &
                               c_line_transform_create, c_line_transform_eigenvalues, c_line_transform_forward, &
                               c_line_transform_free, c_lines, c_tridiagonal_create, c_tridiagonal_free, &
                               c_tridiagonal_solve
  use lapwing_domains, only: known_domain, lapwing_domain
  use lapwing_errors, only: c_text, complain, settle
  use lapwing_fields, only: handles_of, lapwing_field
  implicit none
  private
  public :: lapwing_line_solver, lapwing_line_transform, lapwing_line_values, lapwing_tridiagonal
  public :: groups_of, method_of

  !> Whole lines of one field on this rank, in the memory of a line solver; what is done with them stays.
  type :: lapwing_line_values
    !> Number in the solver's fields, from 1.
    integer :: field = 1
    !> The cells, in indices of the whole grid from 1; levels along k.
    integer :: i1 = 1, i2 = 0, j1 = 1, j2 = 0, k1 = 1, k2 = 0
    !> Rows (i, j, k); columns (i, k, j), or (j, i, k) where they are contiguous: with these indices.
    real(real64), pointer :: values(:, :, :) => null()
    type(c_lines) :: raw
  end type

  abstract interface
    !> Works on lines that have arrived.
    subroutine work_on_lines(lines)
      import :: lapwing_line_values
      type(lapwing_line_values), intent(inout) :: lines
    end subroutine
  end interface

  type :: work_holder
    procedure(work_on_lines), pointer, nopass :: forward => null(), across => null(), backward => null()
    logical :: contiguous_columns = .false.
  end type

  !> Whole rows of x, then columns of y, then rows again. Do not copy it.
  type :: lapwing_line_solver
    type(c_ptr) :: handle = c_null_ptr
    logical :: contiguous_columns = .false.
  contains
    procedure :: create => create_lines
    procedure :: run => run_lines
    final :: free_lines
  end type

  !> The transform of lines that turns minus the second difference into products with `eigenvalues`. Do not copy it.
  type :: lapwing_line_transform
    integer :: points = 0
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: forward_array, forward_lines, backward_array, backward_lines
    !> call transform%forward(lines): values of lines, along the first dimension of an array, or of lapwing_line_values that are
    !> rows or contiguous columns, become coefficients. For a periodic line these are the real part of wave 0, then real and
    !> imaginary part of each. Local.
    generic :: forward => forward_array, forward_lines
    !> call transform%backward(lines): coefficients become values. Local.
    generic :: backward => backward_array, backward_lines
    procedure :: create => create_transform
    procedure :: eigenvalues
    final :: free_transform
  end type

  !> A tridiagonal system per line. Do not copy it.
  type :: lapwing_tridiagonal
    integer :: lines = 0, points = 0
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: solve_array, solve_lines
    !> call system%solve(values): right-hand sides values(line, point), or of lapwing_line_values that are columns, not
    !> contiguous ones, become solutions. Local.
    generic :: solve => solve_array, solve_lines
    procedure :: create => create_tridiagonal
    final :: free_tridiagonal
  end type

contains

  function method_of(method) result(text)
    character(*), intent(in), optional :: method
    character(kind=c_char), allocatable :: text(:)

    if (present(method)) then
      text = c_text(method)
    else
      text = c_text('auto')
    end if
  end function

  pure integer(c_int) function groups_of(groups) result(number)
    integer, intent(in), optional :: groups

    number = 1
    if (present(groups)) number = int(groups, c_int)
  end function

  ! ---- whole lines

  !> fields: as of lapwing_implicit_diffusion. contiguous_columns: whether values of a column lie side by side, as
  !> transforms along y like them, and elimination does not. method and groups: as of transposes. Collective; memory: each
  !> field twice more.
  subroutine create_lines(self, domain, fields, method, groups, contiguous_columns, stat, errmsg)
    class(lapwing_line_solver), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    type(lapwing_field), intent(in) :: fields(:)
    character(*), intent(in), optional :: method
    integer, intent(in), optional :: groups
    logical, intent(in), optional :: contiguous_columns
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: made
    logical :: contiguous
    integer(c_int) :: code

    if (.not. known_domain(domain, stat, errmsg)) return
    contiguous = .false.
    if (present(contiguous_columns)) contiguous = contiguous_columns
    code = c_line_solver_create(domain%handle, handles_of(fields), size(fields, kind=c_int), method_of(method), &
                                groups_of(groups), merge(1_c_int, 0_c_int, contiguous), made)
    if (code == 0) then
      call free_lines(self)
      self%handle = made
      self%contiguous_columns = contiguous
    end if
    call settle(code, stat, errmsg)
  end subroutine

  !> Calls forward(rows), across(columns) and backward(rows) for the lines of each group of levels and each field, as soon
  !> as they are there; then the fields have the values of the rows. Local, but all ranks must do it.
  subroutine run_lines(self, forward, across, backward, stat, errmsg)
    class(lapwing_line_solver), intent(in) :: self
    procedure(work_on_lines) :: forward, across, backward
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(work_holder), target :: holder

    holder = work_holder(forward, across, backward, self%contiguous_columns)
    call settle(c_line_solver_run(self%handle, c_funloc(call_forward), c_funloc(call_across), c_funloc(call_backward), &
                                  c_loc(holder)), stat, errmsg)
  end subroutine

  subroutine call_forward(context, raw) bind(C, name="")
    type(c_ptr), value :: context
    type(c_lines), intent(in) :: raw
    type(work_holder), pointer :: holder
    type(lapwing_line_values) :: lines

    call c_f_pointer(context, holder)
    lines = lines_of(raw, [1, 2, 3])
    call holder%forward(lines)
  end subroutine

  subroutine call_across(context, raw) bind(C, name="")
    type(c_ptr), value :: context
    type(c_lines), intent(in) :: raw
    type(work_holder), pointer :: holder
    type(lapwing_line_values) :: lines

    call c_f_pointer(context, holder)
    lines = lines_of(raw, merge([2, 1, 3], [1, 3, 2], holder%contiguous_columns))
    call holder%across(lines)
  end subroutine

  subroutine call_backward(context, raw) bind(C, name="")
    type(c_ptr), value :: context
    type(c_lines), intent(in) :: raw
    type(work_holder), pointer :: holder
    type(lapwing_line_values) :: lines

    call c_f_pointer(context, holder)
    lines = lines_of(raw, [1, 2, 3])
    call holder%backward(lines)
  end subroutine

  !> The lines as an array whose dimensions are these axes, fastest first.
  type(lapwing_line_values) function lines_of(raw, axes) result(lines)
    type(c_lines), intent(in) :: raw
    integer, intent(in) :: axes(3)
    real(real64), pointer :: whole(:, :, :)
    integer :: first(3), lengths(3), stored(2)

    lines%raw = raw
    lines%field = int(raw%field) + 1
    first = int(raw%box%lo) + 1
    lengths = int(raw%box%hi - raw%box%lo)
    lines%i1 = first(1)
    lines%j1 = first(2)
    lines%k1 = first(3)
    lines%i2 = int(raw%box%hi(1))
    lines%j2 = int(raw%box%hi(2))
    lines%k2 = int(raw%box%hi(3))
    first = first(axes)
    lengths = lengths(axes)
    stored = [int(raw%strides(axes(2))), int(raw%strides(axes(3)) / max(raw%strides(axes(2)), 1_c_int64_t))]
    call c_f_pointer(raw%values, whole, [stored, lengths(3)])
    lines%values(first(1):, first(2):, first(3):) => whole(1:lengths(1), 1:lengths(2), :)
  end function

  subroutine free_lines(self)
    type(lapwing_line_solver), intent(inout) :: self

    call c_line_solver_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! ---- transforms of lines

  !> ends: 'periodic', 'dirichlet' or 'neumann'. Local.
  subroutine create_transform(self, points, ends, stat, errmsg)
    class(lapwing_line_transform), intent(inout) :: self
    integer, intent(in) :: points
    character(*), intent(in) :: ends
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: made
    integer(c_int) :: code

    code = c_line_transform_create(int(points, c_int64_t), c_text(ends), made)
    if (code == 0) then
      call free_transform(self)
      self%handle = made
      self%points = points
    end if
    call settle(code, stat, errmsg)
  end subroutine

  !> Returns the eigenvalues of minus the second difference, one per coefficient, in 1/spacing**2. Local.
  function eigenvalues(self, spacing) result(values)
    class(lapwing_line_transform), intent(in) :: self
    real(real64), intent(in) :: spacing
    real(real64) :: values(self%points)

    call settle(c_line_transform_eigenvalues(self%handle, spacing, values))
  end function

  subroutine forward_array(self, lines, stat, errmsg)
    class(lapwing_line_transform), intent(in) :: self
    real(real64), pointer, intent(in) :: lines(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. fits(self, lines, stat, errmsg)) return
    call settle(c_line_transform_forward(self%handle, c_loc(lines), size(lines, kind=c_int64_t) / max(self%points, 1)), &
                stat, errmsg)
  end subroutine

  subroutine forward_lines(self, lines, stat, errmsg)
    class(lapwing_line_transform), intent(in) :: self
    type(lapwing_line_values), intent(in) :: lines
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. fits_lines(lines%raw, self%points, .true., stat, errmsg)) return
    call settle(c_line_transform_forward(self%handle, lines%raw%values, lines%raw%count), stat, errmsg)
  end subroutine

  subroutine backward_array(self, lines, stat, errmsg)
    class(lapwing_line_transform), intent(in) :: self
    real(real64), pointer, intent(in) :: lines(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. fits(self, lines, stat, errmsg)) return
    call settle(c_line_transform_backward(self%handle, c_loc(lines), size(lines, kind=c_int64_t) / max(self%points, 1)), &
                stat, errmsg)
  end subroutine

  subroutine backward_lines(self, lines, stat, errmsg)
    class(lapwing_line_transform), intent(in) :: self
    type(lapwing_line_values), intent(in) :: lines
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. fits_lines(lines%raw, self%points, .true., stat, errmsg)) return
    call settle(c_line_transform_backward(self%handle, lines%raw%values, lines%raw%count), stat, errmsg)
  end subroutine

  !> True if an array has lines of this length; an error if it has not.
  logical function fits(self, lines, stat, errmsg)
    class(lapwing_line_transform), intent(in) :: self
    real(real64), pointer, intent(in) :: lines(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(20) :: got, expected

    fits = self%points == 0  ! C says what is wrong then
    if (fits) return
    fits = associated(lines)
    if (fits) fits = size(lines, 1) == self%points .and. is_contiguous(lines)
    if (fits) return
    write (expected, '(i0)') self%points
    got = 'none'
    if (associated(lines)) write (got, '(i0, a)') size(lines, 1), ' points'
    call complain("lines of a transform: got "//trim(got)//"; expected "//trim(expected)//" along the first "// &
                  "dimension, without gaps; pass lines of the length that it was made for", stat, errmsg)
  end function

  !> True if lines of a solver have that many points, one after the other or side by side; an error if they have not.
  logical function fits_lines(raw, points, one_after_the_other, stat, errmsg)
    type(c_lines), intent(in) :: raw
    integer, intent(in) :: points
    logical, intent(in) :: one_after_the_other
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: contiguous

    contiguous = any(raw%strides == 1 .and. raw%box%hi - raw%box%lo == raw%points) .and. raw%stride == raw%points
    fits_lines = points == 0 .or. (raw%points == points .and. (contiguous .eqv. one_after_the_other))
    if (.not. fits_lines) call complain("lines of a solver: got lines of another length or order; expected those "// &
      merge('that lie one after the other', 'that lie side by side       ', one_after_the_other)// &
      "; transform rows and contiguous columns, solve along others", stat, errmsg)
  end function

  subroutine free_transform(self)
    type(lapwing_line_transform), intent(inout) :: self

    call c_line_transform_free(self%handle)
    self%handle = c_null_ptr
    self%points = 0
  end subroutine

  ! ---- tridiagonal systems

  !> diagonal(line, point): of the matrices, off_diagonal what stands next to it. No entry of the diagonal may be smaller
  !> in size than the sum of those next to it. Local.
  subroutine create_tridiagonal(self, diagonal, off_diagonal, stat, errmsg)
    class(lapwing_tridiagonal), intent(inout) :: self
    real(real64), intent(in) :: diagonal(:, :)
    real(real64), intent(in) :: off_diagonal
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: made
    integer(c_int) :: code

    code = c_tridiagonal_create(diagonal, size(diagonal, 2, c_int64_t), size(diagonal, 1, c_int64_t), off_diagonal, made)
    if (code == 0) then
      call free_tridiagonal(self)
      self%handle = made
      self%lines = size(diagonal, 1)
      self%points = size(diagonal, 2)
    end if
    call settle(code, stat, errmsg)
  end subroutine

  subroutine solve_array(self, values, stat, errmsg)
    class(lapwing_tridiagonal), intent(in) :: self
    real(real64), pointer, intent(in) :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (self%lines > 0 .and. (any(shape(values) /= [self%lines, self%points]) .or. .not. is_contiguous(values))) then
      call complain("right-hand sides: got another shape, or a slice with gaps; expected values(lines, points), as the "// &
                    "diagonal has; pass an array of that shape", stat, errmsg)
      return
    end if
    call settle(c_tridiagonal_solve(self%handle, c_loc(values), int(self%lines, c_int64_t)), stat, errmsg)
  end subroutine

  subroutine solve_lines(self, lines, stat, errmsg)
    class(lapwing_tridiagonal), intent(in) :: self
    type(lapwing_line_values), intent(in) :: lines
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (.not. fits_lines(lines%raw, self%points, .false., stat, errmsg)) return
    call settle(c_tridiagonal_solve(self%handle, lines%raw%values, lines%raw%stride), stat, errmsg)
  end subroutine

  subroutine free_tridiagonal(self)
    type(lapwing_tridiagonal), intent(inout) :: self

    call c_tridiagonal_free(self%handle)
    self%handle = c_null_ptr
    self%lines = 0
  end subroutine
end module lapwing_lines
