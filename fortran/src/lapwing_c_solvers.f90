!> The solvers of the C interface of lapwing, as Fortran sees them. Models use the module lapwing over it.
module lapwing_c_solvers
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, c_null_ptr, c_ptr
  use lapwing_c, only: c_box
  implicit none
  private :: c_box, c_char, c_double, c_funptr, c_int, c_int64_t, c_null_ptr, c_ptr
  public

  type, bind(C) :: c_equation
    type(c_ptr) :: factors = c_null_ptr
    integer(c_int) :: factor_count = 0
    real(c_double) :: spacing(2) = 0
    type(c_ptr) :: ends(2) = c_null_ptr
    type(c_ptr) :: method = c_null_ptr
    integer(c_int) :: groups = 1
  end type

  type, bind(C) :: c_lines
    integer(c_int) :: field = 0
    type(c_box) :: box
    type(c_ptr) :: values = c_null_ptr
    integer(c_int64_t) :: points = 0, count = 0, stride = 0, strides(3) = 1
  end type

  interface
    function c_helmholtz_create(domain, field, equation, helmholtz) bind(C, name="lapwing_helmholtz_create") result(code)
      import :: c_equation, c_int, c_ptr
      type(c_ptr), value :: domain, field
      type(c_equation), intent(in) :: equation
      type(c_ptr), intent(out) :: helmholtz
      integer(c_int) :: code
    end function

    function c_helmholtz_solve(helmholtz) bind(C, name="lapwing_helmholtz_solve") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: helmholtz
      integer(c_int) :: code
    end function

    subroutine c_helmholtz_free(helmholtz) bind(C, name="lapwing_helmholtz_free")
      import :: c_ptr
      type(c_ptr), value :: helmholtz
    end subroutine

    function c_implicit_diffusion_create(domain, fields, count, equation, order, diffusion) &
        bind(C, name="lapwing_implicit_diffusion_create") result(code)
      import :: c_equation, c_int, c_ptr
      type(c_ptr), value :: domain
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int), value :: count, order
      type(c_equation), intent(in) :: equation
      type(c_ptr), intent(out) :: diffusion
      integer(c_int) :: code
    end function

    function c_implicit_diffusion_apply(diffusion) bind(C, name="lapwing_implicit_diffusion_apply") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: diffusion
      integer(c_int) :: code
    end function

    subroutine c_implicit_diffusion_free(diffusion) bind(C, name="lapwing_implicit_diffusion_free")
      import :: c_ptr
      type(c_ptr), value :: diffusion
    end subroutine

    function c_line_solver_create(domain, fields, count, method, groups, contiguous_columns, solver) &
        bind(C, name="lapwing_line_solver_create") result(code)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: domain
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int), value :: count, groups, contiguous_columns
      character(kind=c_char), intent(in) :: method(*)
      type(c_ptr), intent(out) :: solver
      integer(c_int) :: code
    end function

    function c_line_solver_run(solver, forward, across, backward, context) &
        bind(C, name="lapwing_line_solver_run") result(code)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: solver, context
      type(c_funptr), value :: forward, across, backward
      integer(c_int) :: code
    end function

    subroutine c_line_solver_free(solver) bind(C, name="lapwing_line_solver_free")
      import :: c_ptr
      type(c_ptr), value :: solver
    end subroutine

    function c_line_transform_create(points, ends, transform) bind(C, name="lapwing_line_transform_create") result(code)
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: points
      character(kind=c_char), intent(in) :: ends(*)
      type(c_ptr), intent(out) :: transform
      integer(c_int) :: code
    end function

    function c_line_transform_eigenvalues(transform, spacing, values) &
        bind(C, name="lapwing_line_transform_eigenvalues") result(code)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: transform
      real(c_double), value :: spacing
      real(c_double), intent(out) :: values(*)
      integer(c_int) :: code
    end function

    function c_line_transform_forward(transform, lines, count) bind(C, name="lapwing_line_transform_forward") result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform, lines
      integer(c_int64_t), value :: count
      integer(c_int) :: code
    end function

    function c_line_transform_backward(transform, lines, count) &
        bind(C, name="lapwing_line_transform_backward") result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform, lines
      integer(c_int64_t), value :: count
      integer(c_int) :: code
    end function

    subroutine c_line_transform_free(transform) bind(C, name="lapwing_line_transform_free")
      import :: c_ptr
      type(c_ptr), value :: transform
    end subroutine

    function c_tridiagonal_create(diagonal, points, lines, off_diagonal, system) &
        bind(C, name="lapwing_tridiagonal_create") result(code)
      import :: c_double, c_int, c_int64_t, c_ptr
      real(c_double), intent(in) :: diagonal(*)
      integer(c_int64_t), value :: points, lines
      real(c_double), value :: off_diagonal
      type(c_ptr), intent(out) :: system
      integer(c_int) :: code
    end function

    function c_tridiagonal_solve(system, values, stride) bind(C, name="lapwing_tridiagonal_solve") result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: system, values
      integer(c_int64_t), value :: stride
      integer(c_int) :: code
    end function

    subroutine c_tridiagonal_free(system) bind(C, name="lapwing_tridiagonal_free")
      import :: c_ptr
      type(c_ptr), value :: system
    end subroutine
  end interface
end module lapwing_c_solvers
