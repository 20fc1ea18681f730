!> The arrays of the model, on the C-grid: u on the east face of a cell, v on its north face.
module sea
  use domain, only: halo, imax, ioff, jmax, joff
  use parameters, only: nx, ny, wp
  implicit none
  public
  real(wp), allocatable, target :: u(:, :), v(:, :)         ! velocity, m/s
  real(wp), allocatable, target :: z(:, :), c(:, :)         ! elevation, m; concentration of a tracer
  real(wp), allocatable, target :: du(:, :), dv(:, :)       ! mixing of momentum, m/s2
  real(wp), allocatable, target :: hu(:, :), hv(:, :)       ! water depth on the faces, m
  real(wp), allocatable, target :: before(:, :)             ! water depth before the elevation changed, m
  real(wp), allocatable, target :: fx(:, :), fy(:, :)       ! fluxes of the tracer through the faces, m2/s
  real(wp), allocatable :: depth(:, :)                      ! below mean sea level, m
  real(wp), allocatable :: mz(:, :), mu(:, :), mv(:, :)     ! 1 in water, 0 on land

contains

  subroutine allocate_sea()
    call make(u)
    call make(v)
    call make(z)
    call make(c)
    call make(du)
    call make(dv)
    call make(hu)
    call make(hv)
    call make(before)
    call make(fx)
    call make(fy)
    call make(depth)
    call make(mz)
    call make(mu)
    call make(mv)
  end subroutine

  subroutine make(a)
    real(wp), allocatable, intent(inout) :: a(:, :)

    allocate (a(1 - halo:imax + halo, 1 - halo:jmax + halo), source=0.0_wp)
  end subroutine

  !> A shelf that gets shallower to the east, with an island, walls on three sides, and a patch of tracer.
  subroutine fill_sea()
    integer :: i, j

    do j = 1 - halo, jmax + halo
      do i = 1 - halo, imax + halo
        depth(i, j) = 80 - 60*real(i + ioff, wp)/nx
        mz(i, j) = water(i + ioff, j + joff)
        mu(i, j) = water(i + ioff, j + joff)*water(i + ioff + 1, j + joff)
        mv(i, j) = water(i + ioff, j + joff)*water(i + ioff, j + joff + 1)
      end do
    end do
    do j = 1, jmax
      do i = 1, imax
        c(i, j) = mz(i, j)*exp(-real((i + ioff - nx/4)**2 + (j + joff - ny/2)**2, wp)/100)
      end do
    end do
  end subroutine

  pure real(wp) function water(i, j)
    integer, intent(in) :: i, j

    water = 1
    if (i < 1 .or. i > nx .or. j < 1 .or. j > ny) water = 0
    if ((i - nx/2)**2 + (j - ny/3)**2 < (min(nx, ny)/10)**2) water = 0
  end function
end module sea
