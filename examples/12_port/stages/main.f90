!> A tide on a shelf: program NX NY STEPS STRATEGY.
program shelf
  use continuity, only: set_faces, set_tide, step_z, time
  use diagnostics, only: print_diagnostics
  use domain, only: cells, imax, init_domain, jmax, rank
  use lapwing, only: ahead, behind, cross, lapwing_field, lapwing_step, reads, updates, writes
  use momentum, only: mix_momentum, step_u, step_v
  use mpi_calls, only: calls_barrier, calls_finalize
  use parameters, only: dt, ny, read_parameters, steps, wp
  use sea, only: allocate_sea, before, c, du, dv, fill_sea, fx, fy, hu, hv, u, v, z
  use tracer, only: set_fluxes, step_c
  implicit none
  type(lapwing_step) :: step
  character(20) :: strategy
  integer :: n
  integer(8) :: began, ended, rate

  call read_parameters()
  strategy = 'edge-first'
  if (command_argument_count() > 3) call get_command_argument(4, strategy)
  call init_domain()
  call allocate_sea()
  call fill_sea()
  call declare_stages()
  call step%create(cells, strategy=trim(strategy))
  call calls_barrier()
  call system_clock(began, rate)
  do n = 1, steps
    if (n == 2) call system_clock(began)  ! the first step makes what the others use
    time = n*dt
    call step%run(1)
  end do
  call system_clock(ended)
  call print_diagnostics(rank, imax, jmax, real(ended - began, wp)/real(rate, wp), max(1, steps - 1))
  call cells%close()
  call calls_finalize()

contains

  subroutine declare_stages()
    type(lapwing_field) :: u_, v_, z_, c_, du_, dv_, hu_, hv_, before_, fx_, fy_

    call u_%wrap(cells, 'u', u, location='xface')
    call v_%wrap(cells, 'v', v, location='yface')
    call z_%wrap(cells, 'z', z)
    call c_%wrap(cells, 'c', c)
    call du_%wrap(cells, 'du', du, location='xface')
    call dv_%wrap(cells, 'dv', dv, location='yface')
    call hu_%wrap(cells, 'hu', hu, location='xface')
    call hv_%wrap(cells, 'hv', hv, location='yface')
    call before_%wrap(cells, 'before', before)
    call fx_%wrap(cells, 'fx', fx, location='xface')
    call fy_%wrap(cells, 'fy', fy, location='yface')

    call step%stage('set_faces', set_faces, [writes(hu_), writes(hv_), reads(z_, cross(1))])
    call step%stage('mix_momentum', mix_momentum, [writes(du_), writes(dv_), reads(u_, cross(1)), reads(v_, cross(1))])
    call step%stage('step_u', step_u, [updates(u_), reads(v_, ahead('x'), behind('y')), reads(z_, ahead('x')), &
                                       reads(hu_), reads(du_)])
    call step%stage('step_v', step_v, [updates(v_), reads(u_, behind('x'), ahead('y')), reads(z_, ahead('y')), &
                                       reads(hv_), reads(dv_)])
    call step%stage('step_z', step_z, [updates(z_), writes(before_), reads(u_, behind('x')), reads(v_, behind('y')), &
                                       reads(hu_, behind('x')), reads(hv_, behind('y'))])
    call step%stage('set_tide', set_tide, [writes(z_)], on=[1, 1, 1, ny])
    call step%stage('set_fluxes', set_fluxes, [writes(fx_), writes(fy_), reads(c_, ahead('x'), ahead('y')), &
                                               reads(u_), reads(v_), reads(hu_), reads(hv_)])
    call step%stage('step_c', step_c, [updates(c_), reads(fx_, behind('x')), reads(fy_, behind('y')), reads(before_), &
                                       reads(z_)])
  end subroutine
end program shelf
