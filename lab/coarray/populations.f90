! The two lattices, a coarray with a halo of one cell, and a time step over the block of this image.
module populations
  use, intrinsic :: iso_fortran_env, only: real64, int8
  use lattice, only: directions, velocities, opposite, weight, relaxation, collide, equilibrium, chunk
  use blocks, only: block
  implicit none
  private
  public :: f, make_populations, step

  real(real64), allocatable :: f(:, :, :, :, :)[:]  ! x, y, z, direction, lattice

  ! Cells of a row next to each other that are fluid, and a wall that a population of a cell comes back from.
  type :: stretch
    integer :: first, last
  end type
  type :: link
    integer :: cell, direction
  end type
  type(stretch), allocatable :: stretches(:)
  type(link), allocatable :: links(:)
  integer, allocatable :: stretch_end(:, :), link_end(:, :)  ! of row (j, k): its last one

contains

  ! Equilibrium of `flow` (density and velocity on the cells of the block) in both lattices; weights where `solid`, a
  ! mask of the block and one cell around it, is not 0. All images.
  subroutine make_populations(b, flow, solid)
    type(block), intent(in) :: b
    real(real64), intent(in) :: flow(:, :, :, :)
    integer(int8), intent(in) :: solid(0:, 0:, 0:)
    integer :: i, j, k, q

    associate (n => b%largest)
      allocate (f(0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1, 0:directions - 1, 2)[*])
    end associate
    do q = 0, directions - 1
      f(:, :, :, q, :) = weight(q)
      do k = 1, b%size(3)
        do j = 1, b%size(2)
          do i = 1, b%size(1)
            if (solid(i, j, k) == 0) f(i, j, k, q, :) = equilibrium(q, flow(i, j, k, 1), flow(i, j, k, 2:4))
          end do
        end do
      end do
    end do
    call find_walls(b, solid)
  end subroutine

  subroutine find_walls(b, solid)
    type(block), intent(in) :: b
    integer(int8), intent(in) :: solid(0:, 0:, 0:)
    integer :: i, j, k, q, pass, s, w

    allocate (stretch_end(0:b%size(2), b%size(3)), link_end(0:b%size(2), b%size(3)))
    allocate (stretches(0), links(0))
    do pass = 1, 2  ! count, then keep
      s = 0
      w = 0
      do k = 1, b%size(3)
        stretch_end(0, k) = s
        link_end(0, k) = w
        do j = 1, b%size(2)
          do i = 1, b%size(1)
            if (solid(i, j, k) /= 0) cycle
            if (begins(i, solid(i - 1, j, k))) s = s + 1
            if (pass == 2) call lengthen(stretches(s), i, begins(i, solid(i - 1, j, k)))
            do q = 1, directions - 1
              if (solid(i - velocities(1, q), j - velocities(2, q), k - velocities(3, q)) == 0) cycle
              w = w + 1
              if (pass == 2) links(w) = link(i, q)
            end do
          end do
          stretch_end(j, k) = s
          link_end(j, k) = w
        end do
      end do
      if (pass == 1) then
        deallocate (stretches, links)
        allocate (stretches(s), links(w))
      end if
    end do
  end subroutine

  pure subroutine lengthen(one, i, begins_here)
    type(stretch), intent(inout) :: one
    integer, intent(in) :: i
    logical, intent(in) :: begins_here

    if (begins_here) one%first = i
    one%last = i
  end subroutine

  ! Returns true if a stretch begins at cell i of a row.
  pure logical function begins(i, before)
    integer, intent(in) :: i
    integer(int8), intent(in) :: before
    begins = i == 1 .or. before /= 0
  end function

  ! Populations of lattice `from`, whose halo is filled, one step on in lattice `to`.
  subroutine step(b, r, from, to)
    type(block), intent(in) :: b
    type(relaxation), intent(in) :: r
    integer, intent(in) :: from, to
    real(real64) :: piece(chunk, 0:18)
    integer :: i, j, k, q, n, s, w

    do k = 1, b%size(3)
      do j = 1, b%size(2)
        do s = stretch_end(j - 1, k) + 1, stretch_end(j, k)
          do i = stretches(s)%first, stretches(s)%last, chunk
            n = min(chunk, stretches(s)%last - i + 1)
            do q = 0, directions - 1
              associate (c => velocities(:, q))
                piece(:n, q) = f(i - c(1):i + n - 1 - c(1), j - c(2), k - c(3), q, from)
              end associate
            end do
            do w = link_end(j - 1, k) + 1, link_end(j, k)
              associate (at => links(w))
                if (at%cell >= i .and. at%cell < i + n) &
                    piece(at%cell - i + 1, at%direction) = f(at%cell, j, k, opposite(at%direction), from)
              end associate
            end do
            call collide(r, n, piece)
            do q = 0, directions - 1
              f(i:i + n - 1, j, k, q, to) = piece(:n, q)
            end do
          end do
        end do
      end do
    end do
  end subroutine

end module
