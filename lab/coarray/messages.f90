! What messages.c offers, as Fortran sees it. Ranks are numbers of images less 1.
module messages
  use, intrinsic :: iso_c_binding, only: c_int, c_double
  implicit none
  private
  public :: swap_boxes, start_shift, finish_shift, bounce

  interface
    subroutine swap_boxes(out_before, out_behind, in_before, in_behind, values, before, behind) bind(c)
      import :: c_int, c_double
      real(c_double), intent(in) :: out_before(*), out_behind(*)
      real(c_double), intent(inout) :: in_before(*), in_behind(*)
      integer(c_int), value :: values, before, behind
    end subroutine

    subroutine start_shift(out, in, values, to, from) bind(c)
      import :: c_int, c_double
      real(c_double), intent(in), asynchronous :: out(*)
      real(c_double), intent(inout), asynchronous :: in(*)
      integer(c_int), value :: values, to, from
    end subroutine

    subroutine finish_shift() bind(c)
    end subroutine

    subroutine bounce(values, number, rank, other) bind(c)
      import :: c_int, c_double
      real(c_double), intent(inout) :: values(*)
      integer(c_int), value :: number, rank, other
    end subroutine
  end interface

end module
