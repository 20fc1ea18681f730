!> The census of a step: which exchanges it has, what they move, and what they cost.
module lapwing_census
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use lapwing_c, only: c_census_entry, c_step_census
  use lapwing_errors, only: fortran_text
  implicit none
  private
  public :: lapwing_census_entry, take_census

  !> One exchange of the census of a step, as this rank sees it: what one run of it moves, and what all have cost here.
  type :: lapwing_census_entry
    !> In the cycle, from 1.
    integer :: position = 1
    !> True if it is part of the steady state; else it runs only while all halos are stale.
    logical :: steady = .false.
    !> The stage that cannot go on without it, or, where it is unasked, ends with it.
    character(:), allocatable :: stage
    logical :: unasked = .false.
    !> Names of fields, 'u, v'; and names of fields whose halo no stage reads before it is stale again.
    character(:), allocatable :: fields, needless
    !> Messages and bytes of one run, and how often it ran.
    integer(int64) :: messages = 0, bytes = 0, runs = 0
    !> Seconds of all runs: packing; then until the last neighbour was there; the rest.
    real(real64) :: packing = 0, late = 0, transfer = 0
  end type

contains

  !> The entries of a step, and the code of the call.
  subroutine take_census(step, entries, code)
    type(c_ptr), intent(in) :: step
    type(lapwing_census_entry), allocatable, intent(out) :: entries(:)
    integer(c_int), intent(out) :: code
    type(c_census_entry), pointer :: found(:)
    type(c_ptr) :: data
    integer(c_int) :: count
    integer :: n

    count = 0
    code = c_step_census(step, data, count)
    if (code /= 0) count = 0
    allocate (entries(count))
    if (count > 0) call c_f_pointer(data, found, [count])
    do n = 1, int(count)
      entries(n) = entry_of(found(n))
    end do
  end subroutine

  type(lapwing_census_entry) function entry_of(found) result(entry)
    type(c_census_entry), intent(in) :: found

    entry%position = int(found%position) + 1
    entry%steady = found%steady /= 0
    entry%stage = fortran_text(found%stage)
    entry%unasked = found%unasked /= 0
    entry%fields = fortran_text(found%fields)
    entry%needless = fortran_text(found%needless)
    entry%messages = found%messages
    entry%bytes = found%bytes
    entry%runs = found%runs
    entry%packing = found%packing
    entry%late = found%late
    entry%transfer = found%transfer
  end function
end module lapwing_census
