! Arrays of the whole grid in plain files, x fastest, of which every image reads and writes its block.
module files
  use, intrinsic :: iso_fortran_env, only: real64, int8, int64
  use blocks, only: block
  implicit none
  private
  public :: read_flow, read_solid, write_result

contains

  ! Byte, from 1, of value (i, j, k, q) of an array of the grid, cells from 0, values of `bytes`.
  pure integer(int64) function place(b, cell, q, bytes)
    type(block), intent(in) :: b
    integer, intent(in) :: cell(3), q, bytes
    integer(int64) :: n(3), c(3)

    n = b%grid
    c = cell
    place = 1 + bytes * (c(1) + n(1) * (c(2) + n(2) * (c(3) + n(3) * q)))
  end function

  ! Density and velocity of the block; without a file a periodic shear along z.
  subroutine read_flow(name, b, flow)
    character(*), intent(in) :: name
    type(block), intent(in) :: b
    real(real64), allocatable, intent(out) :: flow(:, :, :, :)
    integer :: j, k, v, unit

    allocate (flow(b%size(1), b%size(2), b%size(3), 4), source=0.0_real64)
    if (len_trim(name) == 0) then
      flow(:, :, :, 1) = 1.0_real64
      do j = 1, b%size(2)
        flow(:, j, :, 2) = 0.04_real64 * sin(6.283185307179586_real64 * (b%begin(2) + j - 0.5_real64) / b%grid(2))
      end do
      return
    end if
    open (newunit=unit, file=name, access='stream', form='unformatted', status='old', action='read')
    do v = 1, 4
      do k = 1, b%size(3)
        do j = 1, b%size(2)
          read (unit, pos=place(b, b%begin + [0, j - 1, k - 1], v - 1, 8)) flow(:, j, k, v)
        end do
      end do
    end do
    close (unit)
  end subroutine

  ! The mask of the block and one cell around it; axes are periodic. Without a file nothing is solid.
  subroutine read_solid(name, b, solid)
    character(*), intent(in) :: name
    type(block), intent(in) :: b
    integer(int8), allocatable, intent(out) :: solid(:, :, :)
    integer(int8) :: row(0:b%grid(1) - 1)
    integer :: i, j, k, unit

    allocate (solid(0:b%size(1) + 1, 0:b%size(2) + 1, 0:b%size(3) + 1), source=0_int8)
    if (len_trim(name) == 0) return
    open (newunit=unit, file=name, access='stream', form='unformatted', status='old', action='read')
    do k = 0, b%size(3) + 1
      do j = 0, b%size(2) + 1
        read (unit, pos=place(b, [0, wrapped(2, j), wrapped(3, k)], 0, 1)) row
        do i = 0, b%size(1) + 1
          solid(i, j, k) = row(wrapped(1, i))
        end do
      end do
    end do
    close (unit)

  contains

    ! Cell n of the block along an axis as one of the grid, from 0.
    pure integer function wrapped(axis, n)
      integer, intent(in) :: axis, n
      wrapped = modulo(b%begin(axis) + n - 1, b%grid(axis))
    end function
  end subroutine

  ! One image after the other; `values` with its halo. All images.
  subroutine write_result(name, b, values)
    character(*), intent(in) :: name
    type(block), intent(in) :: b
    real(real64), intent(in) :: values(0:, 0:, 0:, 0:)
    integer :: image, j, k, q, unit

    do image = 1, num_images()
      if (image == this_image()) then
        open (newunit=unit, file=name, access='stream', form='unformatted', action='write', &
              status=merge('replace', 'old    ', image == 1))
        do q = 0, ubound(values, 4)
          do k = 1, b%size(3)
            do j = 1, b%size(2)
              write (unit, pos=place(b, b%begin + [0, j - 1, k - 1], q, 8)) values(1:b%size(1), j, k, q)
            end do
          end do
        end do
        close (unit)
      end if
      sync all
    end do
  end subroutine

end module
