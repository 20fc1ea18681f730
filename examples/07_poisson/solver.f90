! The potential of two charges by the Poisson solver of lapwing, which is what poisson.f90 shows in the open.
!
! cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t solver_fortran
! mpiexec -n 2 ../build/solver_fortran
! prints: potential at (16, 12): 0.274196147
module two_charges
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none
contains
  subroutine run(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: ranks, domain
    type(lapwing_field) :: field
    type(lapwing_helmholtz) :: poisson
    real(real64), pointer :: p(:, :)
    real(real64), allocatable :: potential(:, :)
    integer :: j

    call ranks%create(comm, [47, 31])
    ! whole rows, as there are no levels that could be spread over ranks
    call domain%create(comm, [47, 31], blocks=[1, ranks%ranks])
    call field%declare(domain, 'p')
    call field%allocate()
    call field%get(p)
    do j = domain%j1, domain%j2
      if (j == 11) p(16, j) = 1
      if (j == 21) p(32, j) = -1
    end do

    ! 0 p - d2p/dx2 - d2p/dy2 = charge, and p = 0 one cell beyond the grid; p held the charge
    call poisson%create(domain, field, shift=[0.0_real64], spacing=[1.0_real64, 1.0_real64], &
                        ends=['dirichlet', 'dirichlet'])
    call poisson%solve()

    call field%gather(potential)
    if (domain%rank == 0) print '(a, f11.9)', 'potential at (16, 12): ', potential(17, 13)
    call domain%close()
    call ranks%close()
  end subroutine
end module two_charges

program main
  use two_charges, only: run
  use lapwing, only: lapwing_run
  call lapwing_run(run)
end program
