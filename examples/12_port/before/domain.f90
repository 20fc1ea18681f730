!> Which cells of the grid this rank computes: imax x jmax of them, in blocks of nearly equal size. Local indices 1..imax,
!> 1..jmax; ioff and joff are added to give those of the whole grid.
module domain
  use mpi_calls, only: calls_init
  use parameters, only: nx, ny
  implicit none
  public
  integer, parameter :: halo = 1
  integer :: rank, ranks
  integer :: columns, rows        ! of blocks
  integer :: column, row          ! of this rank's block, from 0
  integer :: imax, jmax, ioff, joff

contains

  subroutine init_domain()
    call calls_init(rank, ranks)
    call choose_blocks()
    column = mod(rank, columns)
    row = rank/columns
    call block_range(nx, columns, column, ioff, imax)
    call block_range(ny, rows, row, joff, jmax)
  end subroutine

  !> The factors of `ranks` whose blocks have the shortest edges.
  subroutine choose_blocks()
    integer :: n
    real :: edge, best

    best = huge(best)
    do n = 1, ranks
      if (mod(ranks, n) /= 0) cycle
      edge = real(nx)/n + real(ny)/(ranks/n)
      if (edge >= best) cycle
      best = edge
      columns = n
      rows = ranks/n
    end do
  end subroutine

  !> Cells of part `part` of n cells: `count` of them after the first `offset`.
  subroutine block_range(n, parts, part, offset, count)
    integer, intent(in) :: n, parts, part
    integer, intent(out) :: offset, count

    count = n/parts
    offset = part*count + min(part, mod(n, parts))
    if (part < mod(n, parts)) count = count + 1
  end subroutine

  !> The rank of the block dx to the east and dy to the north; -1 beyond the grid.
  integer function neighbour(dx, dy)
    integer, intent(in) :: dx, dy

    neighbour = -1
    if (column + dx < 0 .or. column + dx >= columns) return
    if (row + dy < 0 .or. row + dy >= rows) return
    neighbour = column + dx + (row + dy)*columns
  end function
end module domain
