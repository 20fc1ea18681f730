!> Solvers: Helmholtz equations, and implicit diffusion, on the levels of fields.
module lapwing_solvers
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing_c_solvers, only: c_equation, c_helmholtz_create, c_helmholtz_free, c_helmholtz_solve, &
                               c_implicit_diffusion_apply, c_implicit_diffusion_create, c_implicit_diffusion_free
  use lapwing_domains, only: known_domain, lapwing_domain
  use lapwing_errors, only: c_text, settle
  use lapwing_fields, only: handles_of, lapwing_field
  use lapwing_lines, only: groups_of, method_of
  implicit none
  private
  public :: lapwing_helmholtz, lapwing_implicit_diffusion

  !> Solves shift p - d2p/dx2 - d2p/dy2 = r on every level of a field, which holds r and then p. The second differences
  !> are (p(i-1) - 2 p(i) + p(i+1)) / spacing**2. Do not copy it.
  type :: lapwing_helmholtz
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_helmholtz
    procedure :: solve => solve_helmholtz
    final :: free_helmholtz
  end type

  !> Divides each wave of fields by 1 + strength (kx**2 + ky**2)**(order / 2): an implicit step of diffusion, where the
  !> strength is the coefficient times the time step. Do not copy it.
  type :: lapwing_implicit_diffusion
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => create_diffusion
    procedure :: apply => apply_diffusion
    final :: free_diffusion
  end type

  !> Names as C reads them.
  type :: equation_texts
    character(kind=c_char), allocatable :: x(:), y(:), method(:)
  end type

contains

  !> field: of the domain, real(real64) without components, with memory. shift: one for all levels or one per level, in
  !> 1/m2 where spacings are in m, not negative. spacing: of cells along x and y. ends: along x and y, what is beyond the
  !> ends of lines: 'periodic' the line again, 'dirichlet' 0 one spacing away, 'neumann' no gradient half a spacing
  !> away; along y not 'periodic'. method and groups: as of transposes. Collective; memory three times the field.
  subroutine create_helmholtz(self, domain, field, shift, spacing, ends, method, groups, stat, errmsg)
    class(lapwing_helmholtz), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    type(lapwing_field), intent(in) :: field
    real(real64), intent(in) :: shift(:), spacing(:)
    character(*), intent(in) :: ends(:)
    character(*), intent(in), optional :: method
    integer, intent(in), optional :: groups
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(equation_texts), target :: texts
    real(c_double), target :: factors(size(shift))
    type(c_ptr) :: made
    integer(c_int) :: code

    if (.not. known_domain(domain, stat, errmsg)) return
    factors = shift
    texts = texts_of(ends, method)
    code = c_helmholtz_create(domain%handle, field%handle, equation_of(factors, spacing, texts, groups), made)
    if (code == 0) then
      call free_helmholtz(self)
      self%handle = made
    end if
    call settle(code, stat, errmsg)
  end subroutine

  !> Replaces the right-hand side in the cells of each rank by the solution; halos are stale then. Local, but all ranks
  !> must do it.
  subroutine solve_helmholtz(self, stat, errmsg)
    class(lapwing_helmholtz), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(c_helmholtz_solve(self%handle), stat, errmsg)
  end subroutine

  subroutine free_helmholtz(self)
    type(lapwing_helmholtz), intent(inout) :: self

    call c_helmholtz_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> fields: of the domain, real(real64) without components, with one number of levels and memory; all get the same.
  !> strength: one or one per level, in m**order, not negative. order: even, 4 unless said; 2 diffuses, 4 and more are ever
  !> sharper filters. The rest as of lapwing_helmholtz; along y lines may be periodic too. Collective.
  subroutine create_diffusion(self, domain, fields, strength, spacing, ends, order, method, groups, stat, errmsg)
    class(lapwing_implicit_diffusion), intent(inout) :: self
    class(lapwing_domain), intent(in) :: domain
    type(lapwing_field), intent(in) :: fields(:)
    real(real64), intent(in) :: strength(:), spacing(:)
    character(*), intent(in) :: ends(:)
    integer, intent(in), optional :: order
    character(*), intent(in), optional :: method
    integer, intent(in), optional :: groups
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(equation_texts), target :: texts
    real(c_double), target :: factors(size(strength))
    type(c_ptr) :: made
    integer(c_int) :: code, power

    if (.not. known_domain(domain, stat, errmsg)) return
    factors = strength
    texts = texts_of(ends, method)
    power = 4
    if (present(order)) power = int(order, c_int)
    code = c_implicit_diffusion_create(domain%handle, handles_of(fields), size(fields, kind=c_int), &
                                       equation_of(factors, spacing, texts, groups), power, made)
    if (code == 0) then
      call free_diffusion(self)
      self%handle = made
    end if
    call settle(code, stat, errmsg)
  end subroutine

  !> Filters the cells of each rank; halos are stale then. Local, but all ranks must do it.
  subroutine apply_diffusion(self, stat, errmsg)
    class(lapwing_implicit_diffusion), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(c_implicit_diffusion_apply(self%handle), stat, errmsg)
  end subroutine

  subroutine free_diffusion(self)
    type(lapwing_implicit_diffusion), intent(inout) :: self

    call c_implicit_diffusion_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> The arguments of C for both equations; lapwing refuses wrong numbers of them on all ranks.
  type(equation_texts) function texts_of(ends, method) result(texts)
    character(*), intent(in) :: ends(:)
    character(*), intent(in), optional :: method

    character(len(ends)) :: names(2)

    names = ''
    if (size(ends) < 3) names(1:size(ends)) = ends
    allocate (texts%x, source=c_text(names(1)))
    allocate (texts%y, source=c_text(names(2)))
    allocate (texts%method, source=method_of(method))
  end function

  type(c_equation) function equation_of(factors, spacing, texts, groups) result(equation)
    real(c_double), intent(in), target :: factors(:)
    real(real64), intent(in) :: spacing(:)
    type(equation_texts), intent(in), target :: texts
    integer, intent(in), optional :: groups

    if (size(factors) > 0) equation%factors = c_loc(factors)
    equation%factor_count = size(factors, kind=c_int)
    if (size(spacing) == 2) equation%spacing = spacing
    equation%ends = [c_loc(texts%x), c_loc(texts%y)]
    equation%method = c_loc(texts%method)
    equation%groups = groups_of(groups)
  end function
end module lapwing_solvers
