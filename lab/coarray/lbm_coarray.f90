! A lattice Boltzmann run with coarrays, as the reports had it, compared with lapwing's model: see README.md.
!
! lbm_coarray key=value ...
!   grid=64,64,64  ranks=2,1,1  way=direct-push  steps=100  warm=10  tau=0.8  tau_minus=0.8  force=0,0,0
!   flow=FILE      density and velocity [nx, ny, nz, 4], x fastest, float64; without it: a periodic shear
!   solid=FILE     bytes [nx, ny, nz], not 0 where solid; without it: none
!   result=FILE    populations [nx, ny, nz, 19] after the steps
! Image 1 prints the seconds that the steps after the warm ones took.
program lbm_coarray
  use, intrinsic :: iso_fortran_env, only: real64, int64, int8
  use lattice, only: relaxation, make_relaxation
  use blocks, only: block, block_of
  use populations, only: f, make_populations, step
  use exchange, only: make_exchange, fill_halo, ways
  use files, only: read_flow, read_solid, write_result
  use options, only: settings, read_settings
  implicit none

  type(settings) :: s
  type(block) :: b
  type(relaxation) :: r
  real(real64), allocatable :: flow(:, :, :, :)
  integer(int8), allocatable :: solid(:, :, :)
  integer(int64) :: began, ended, rate

  s = read_settings(ways)
  if (product(s%ranks) /= num_images()) error stop 'lbm_coarray: ranks= must multiply to the number of images'
  b = block_of(s%grid, s%ranks, this_image())
  r = make_relaxation(s%tau, s%tau_minus, s%force)
  call read_flow(s%flow, b, flow)
  call read_solid(s%solid, b, solid)
  call make_populations(b, flow, solid)
  call make_exchange(b)
  call run(1, s%warm)
  sync all
  call system_clock(began, rate)
  call run(s%warm + 1, s%warm + s%steps)
  sync all
  call system_clock(ended)
  if (len_trim(s%result) > 0) call write_result(s%result, b, f(:, :, :, :, newest(s%warm + s%steps)))
  if (this_image() == 1) print '(a, es14.6)', 'seconds', real(ended - began, real64) / real(rate, real64)
  sync all

contains

  ! The lattice that step number n has written.
  pure integer function newest(n)
    integer, intent(in) :: n
    newest = 1 + modulo(n, 2)
  end function

  subroutine run(first, last)
    integer, intent(in) :: first, last
    integer :: n

    do n = first, last
      call fill_halo(b, s%way, newest(n - 1))
      call step(b, r, newest(n - 1), newest(n))
    end do
  end subroutine

end program
