! Who computes which block of the grid: ranks along x, y and z, x fastest.
module blocks
  implicit none
  private
  public :: block, block_of

  type :: block
    integer :: grid(3) = 1     ! cells
    integer :: ranks(3) = 1    ! images along each axis
    integer :: place(3) = 0    ! of this one
    integer :: begin(3) = 0    ! first cell, from 0
    integer :: size(3) = 1     ! cells
    integer :: largest(3) = 1  ! of any image: coarrays are alike everywhere
    integer :: beside(-1:1, 3) = 1  ! the images before and behind, with periodic axes
  end type

contains

  ! The block of image number `image` of as many as `ranks` asks for.
  pure type(block) function block_of(grid, ranks, image) result(b)
    integer, intent(in) :: grid(3), ranks(3), image
    integer :: axis, side, there(3)

    b%grid = grid
    b%ranks = ranks
    b%place = [modulo(image - 1, ranks(1)), modulo((image - 1) / ranks(1), ranks(2)), (image - 1) / (ranks(1) * ranks(2))]
    b%begin = b%place * grid / ranks
    b%size = (b%place + 1) * grid / ranks - b%begin
    b%largest = (grid + ranks - 1) / ranks
    do axis = 1, 3
      do side = -1, 1
        there = b%place
        there(axis) = modulo(there(axis) + side, ranks(axis))
        b%beside(side, axis) = 1 + there(1) + ranks(1) * (there(2) + ranks(2) * there(3))
      end do
    end do
  end function

end module
