!> Transposes: values moved from one way to cut a grid to another, for work along whole lines of cells.
module lapwing_transposes
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_funloc, c_funptr, c_int, c_loc, c_null_funptr, c_null_ptr, c_ptr
  use lapwing_c, only: c_box, c_transpose_create, c_transpose_free, c_transpose_method, c_transpose_run, &
                       c_transpose_start, c_transpose_test, c_transpose_wait
  use lapwing_errors, only: c_text, fortran_text, settle
  use lapwing_fields, only: lapwing_field
  implicit none
  private
  public :: lapwing_transpose

  abstract interface
    !> Works on cells of the targets that have arrived, in the indices of the grid.
    subroutine work_on_cells(i1, i2, j1, j2, k1, k2)
      integer, intent(in) :: i1, i2, j1, j2, k1, k2
    end subroutine
  end interface

  type :: work_holder
    procedure(work_on_cells), pointer, nopass :: work => null()
    integer :: shift(3) = 1
  end type

  !> Moves the values of some fields to fields of another domain of the same cells. Do not copy it.
  type :: lapwing_transpose
    type(c_ptr) :: handle = c_null_ptr
    integer :: shift(3) = 1
  contains
    procedure :: create
    procedure :: run
    procedure :: start
    procedure :: test
    procedure :: wait
    procedure :: method => name_of_method
    final :: free
  end type

contains

  !> Moves sources(n) to targets(n), whatever the order of their axes: fields with memory, of one type each. A field with
  !> levels counts as one on a grid with these levels. method: 'auto', the fastest, measured here, unless said; groups:
  !> of levels, which travel one after the other. Collective.
  subroutine create(self, sources, targets, method, groups, stat, errmsg)
    class(lapwing_transpose), intent(inout) :: self
    type(lapwing_field), intent(in) :: sources(:), targets(:)
    character(*), intent(in), optional :: method
    integer, intent(in), optional :: groups
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: from(size(sources)), to(size(sources))
    character(:), allocatable :: by
    integer :: n, parts

    to = c_null_ptr
    do n = 1, size(sources)
      from(n) = sources(n)%handle
      if (n <= size(targets)) to(n) = targets(n)%handle
    end do
    by = 'auto'
    if (present(method)) by = method
    parts = 1
    if (present(groups)) parts = groups
    if (size(targets) > 0) self%shift = targets(1)%shift
    call settle(c_transpose_create(from, to, size(from, kind=c_int), c_text(by), int(parts, c_int), self%handle), &
                stat, errmsg)
  end subroutine

  !> Fills the targets. work: called for boxes of targets that have arrived, while others are on their way. Local, but
  !> all ranks must do it.
  subroutine run(self, work, stat, errmsg)
    class(lapwing_transpose), intent(in) :: self
    procedure(work_on_cells), optional :: work
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(work_holder), target :: holder
    type(c_funptr) :: call_it

    call_it = c_null_funptr
    if (present(work)) then
      holder = work_holder(work, self%shift)
      call_it = c_funloc(call_work)
    end if
    call settle(c_transpose_run(self%handle, call_it, c_loc(holder)), stat, errmsg)
  end subroutine

  subroutine call_work(context, box) bind(C, name="")
    type(c_ptr), value :: context
    type(c_box), intent(in) :: box
    type(work_holder), pointer :: holder
    integer :: first(3), last(3)

    call c_f_pointer(context, holder)
    first = int(box%lo) + holder%shift
    last = int(box%hi) + holder%shift - 1
    call holder%work(first(1), last(1), first(2), last(2), first(3), last(3))
  end subroutine

  !> Packs and posts, and does not block. Until wait, do not write sources, nor read or write targets. Local.
  subroutine start(self, stat, errmsg)
    class(lapwing_transpose), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(c_transpose_start(self%handle), stat, errmsg)
  end subroutine

  !> Moves messages on; complete: whether all have arrived. Local, does not block.
  subroutine test(self, complete, stat, errmsg)
    class(lapwing_transpose), intent(in) :: self
    logical, intent(out) :: complete
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code, answer

    answer = 0
    code = c_transpose_test(self%handle, answer)
    complete = answer /= 0
    call settle(code, stat, errmsg)
  end subroutine

  !> Blocks until the targets are filled. Local.
  subroutine wait(self, stat, errmsg)
    class(lapwing_transpose), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(c_transpose_wait(self%handle), stat, errmsg)
  end subroutine

  !> The method in use. Local.
  function name_of_method(self) result(name)
    class(lapwing_transpose), intent(in) :: self
    character(:), allocatable :: name

    name = fortran_text(c_transpose_method(self%handle))
  end function

  subroutine free(self)
    type(lapwing_transpose), intent(inout) :: self

    call c_transpose_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module lapwing_transposes
