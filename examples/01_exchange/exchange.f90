! A random walk in your own arrays and loops: lapwing only fills the halos.
!
! cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t exchange_fortran
! mpiexec -n 2 ../build/exchange_fortran
! prints: home after 10 steps: 0.060562133789
module walk
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none
contains
  subroutine run(comm)
    integer, intent(in) :: comm  ! or the communicator of your model
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: halos
    real(real64), allocatable, target :: here(:, :)
    real(real64), allocatable :: next(:, :), whole(:, :)
    integer :: step, i, j

    call domain%create(comm, [32, 24], periodic=[.true., .true.])
    associate (i1 => domain%i1, i2 => domain%i2, j1 => domain%j1, j2 => domain%j2)  ! cells of this rank
      allocate (here(i1 - 1:i2 + 1, j1 - 1:j2 + 1), source=0.0_real64)  ! with one cell of halo on each side
      allocate (next(i1:i2, j1:j2))
      call field%wrap(domain, 'here', here)
      call halos%create(domain, [field])  ! made once: one message per neighbour

      ! the walker is surely at home
      if (i1 <= 6 .and. 6 <= i2 .and. j1 <= 8 .and. 8 <= j2) here(6, 8) = 1
      do step = 1, 10
        call halos%run()
        do j = j1, j2
          do i = i1, i2
            next(i, j) = 0.25_real64 * (here(i + 1, j) + here(i - 1, j) + here(i, j + 1) + here(i, j - 1))
          end do
        end do
        here(i1:i2, j1:j2) = next
      end do
    end associate
    call field%gather(whole)
    if (domain%rank == 0) print '(a, f14.12)', 'home after 10 steps: ', whole(6, 8)
  end subroutine
end module walk

program main
  use walk, only: run
  use lapwing, only: lapwing_run
  call lapwing_run(run)
end program
