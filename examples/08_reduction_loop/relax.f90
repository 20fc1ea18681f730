! A heated point on a plate, relaxed until the largest change on all ranks is small.
!
! cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t relax_fortran
! mpiexec -n 2 ../build/relax_fortran
! prints: heat at (25, 20): 0.196297353913
module plate
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none
  real(real64), pointer :: a(:, :), b(:, :), source(:, :)
  type(lapwing_reduction) :: change
contains
  subroutine there(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    do j = j1, j2
      do i = i1, i2
        b(i, j) = 0.25_real64 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1) + source(i, j))
      end do
    end do
  end subroutine

  subroutine back(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    do j = j1, j2
      do i = i1, i2
        a(i, j) = 0.25_real64 * (b(i - 1, j) + b(i + 1, j) + b(i, j - 1) + b(i, j + 1) + source(i, j))
        call change%raise_to(abs(a(i, j) - b(i, j)))
      end do
    end do
  end subroutine

  subroutine run(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b, field_source
    type(lapwing_step) :: step
    real(real64), allocatable :: heat(:, :)

    call domain%create(comm, [50, 40])  ! beyond the grid all is 0
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    call field_source%declare(domain, 'source')
    call change%create('maximum')
    call step%stage('there', there, [writes(field_b), reads(field_a, cross(1)), reads(field_source)])
    call step%stage('back', back, [writes(field_a), reads(field_b, cross(1)), reads(field_source)], &
                    reduces=change, repeats=2, while_above=1e-7_real64)
    call step%create(domain, strategy='dataflow')
    call field_a%get(a)
    call field_b%get(b)
    call field_source%get(source)
    if (domain%i1 <= 21 .and. 21 <= domain%i2 .and. domain%j1 <= 16 .and. 16 <= domain%j2) source(21, 16) = 1
    call field_source%modified()
    call step%run(1)
    call field_a%gather(heat)
    if (domain%rank == 0) print '(a, f14.12)', 'heat at (25, 20): ', heat(26, 21)
  end subroutine
end module plate

program main
  use plate, only: run
  use lapwing, only: lapwing_run
  call lapwing_run(run)
end program
