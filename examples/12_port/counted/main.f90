!> A tide on a shelf: program NX NY STEPS. The port counts each step.
program shelf
  use continuity, only: set_faces, set_tide, step_z
  use diagnostics, only: print_diagnostics
  use domain, only: imax, init_domain, jmax, rank
  use halo_exchange, only: begin_step, end_halo, init_halo, update_halo, wait_halo
  use momentum, only: mix_momentum, step_u, step_v
  use mpi_calls, only: calls_barrier, calls_finalize
  use parameters, only: dt, read_parameters, steps, wp
  use sea, only: allocate_sea, c, fill_sea, u, v, z
  use tracer, only: set_fluxes, step_c
  implicit none
  integer :: n
  integer(8) :: began, ended, rate

  call read_parameters()
  call init_domain()
  call init_halo()
  call allocate_sea()
  call fill_sea()
  call update_halo(u, 1)
  call update_halo(v, 2)
  call update_halo(z, 3)
  call update_halo(c, 6)
  call calls_barrier()
  call system_clock(began, rate)
  do n = 1, steps
    if (n == 2) call system_clock(began)  ! the first step makes what the others use
    call begin_step()
    call set_faces()
    call mix_momentum()
    call step_u()
    call step_v()
    call step_z()
    call set_tide(n*dt)
    call set_fluxes()
    call step_c()
  end do
  call wait_halo(u, 1)
  call wait_halo(v, 2)
  call wait_halo(z, 3)
  call wait_halo(c, 6)
  call system_clock(ended)
  call print_diagnostics(rank, imax, jmax, real(ended - began, wp)/real(rate, wp), max(1, steps - 1))
  call end_halo()
  call calls_finalize()
end program shelf
