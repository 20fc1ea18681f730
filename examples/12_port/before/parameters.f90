!> Constants of the model, and what the command line sets: nx ny steps.
module parameters
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  public
  real(wp), parameter :: gravity = 9.81_wp      ! m/s2
  real(wp), parameter :: coriolis = 1.2e-4_wp   ! 1/s
  real(wp), parameter :: spacing = 2000         ! m
  real(wp), parameter :: dt = 20                ! s
  real(wp), parameter :: viscosity = 50         ! m2/s
  real(wp), parameter :: friction = 2.5e-3_wp   ! of the bottom
  real(wp), parameter :: period = 44714         ! s, of the tide M2
  real(wp), parameter :: height = 1             ! m, of the tide
  real(wp), parameter :: pi = acos(-1.0_wp)
  integer :: nx = 240, ny = 160, steps = 600

contains

  subroutine read_parameters()
    character(20) :: text

    call get_command_argument(1, text)
    if (len_trim(text) > 0) read (text, *) nx
    call get_command_argument(2, text)
    if (len_trim(text) > 0) read (text, *) ny
    call get_command_argument(3, text)
    if (len_trim(text) > 0) read (text, *) steps
  end subroutine
end module parameters
