! Heat that spreads from a warm corner: records and a restart that all ranks write, and from which others go on.
!
! cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t records_fortran
! mpiexec -n 2 ../build/records_fortran
! prints: heat at (25, 20) after 100 steps: 0.282009112139
!
! The first run leaves a restart of step 50. Run it again, on any number of ranks: it goes on there, with the same bits.
module spreading_heat
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none
contains
  subroutine run(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: heat
    type(lapwing_exchange) :: halo
    type(lapwing_restart) :: restart
    type(lapwing_records) :: records
    real(real64), pointer :: t(:, :)
    real(real64), allocatable :: whole(:, :)
    integer :: i, j, step, first
    logical :: there

    call domain%create(comm, [50, 40])
    allocate (t(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1))
    t = 0
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        if (i <= 26 .and. j <= 21) t(i, j) = 1
      end do
    end do
    call heat%wrap(domain, 'heat', t)
    call heat%describe(units='K', long_name='excess temperature')
    call halo%create(domain, [heat])

    first = 0
    inquire (file='heat_restart.zarr/zarr.json', exist=there)
    call restart%create(domain, 'heat_restart.zarr', [heat])
    if (there) call restart%read(first)
    call records%create(domain, 'heat.zarr', [heat], keep_until=60.0_real64 * first)
    do step = first + 1, 100
      call halo%run()
      call spread(t(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1))
      if (mod(step, 10) == 0) call records%write(60.0_real64 * step, step)
      if (step == 50) call restart%write(step)
    end do
    call records%close()

    call heat%gather(whole)
    if (domain%rank == 0) print '(a, f14.12)', 'heat at (25, 20) after 100 steps: ', whole(26, 21)
    call domain%close()
  end subroutine

  !> A step of diffusion of the cells inside a frame of one cell.
  pure subroutine spread(t)
    real(real64), intent(inout) :: t(0:, 0:)
    real(real64) :: before(0:ubound(t, 1), 0:ubound(t, 2))
    integer :: i, j

    before = t
    do j = 1, ubound(t, 2) - 1
      do i = 1, ubound(t, 1) - 1
        t(i, j) = before(i, j) + 0.2_real64 * (before(i - 1, j) + before(i + 1, j) + before(i, j - 1) + &
                                               before(i, j + 1) - 4 * before(i, j))
      end do
    end do
  end subroutine
end module spreading_heat

program main
  use spreading_heat, only: run
  use lapwing, only: lapwing_run
  call lapwing_run(run)
end program
