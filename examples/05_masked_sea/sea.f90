! A tracer spreads in a round sea with an island: boxes hold about as much water each.
!
! cmake -S .. -B ../build -Dlapwing_DIR=$(lapwing --cmake-dir) && cmake --build ../build -t sea_fortran
! mpiexec -n 2 ../build/sea_fortran
! prints: tracer 485.000000000, at the island 0.088442954671
module sea
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none
  real(real64), pointer :: a(:, :), b(:, :), water(:, :)
contains
  subroutine there(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    call spread_tracer(i1, i2, j1, j2, a, b)
  end subroutine

  subroutine back(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    call spread_tracer(i1, i2, j1, j2, b, a)
  end subroutine

  !> Nothing flows from or to land, which is 0 as all is beyond the grid.
  subroutine spread_tracer(i1, i2, j1, j2, from, to)
    integer, intent(in) :: i1, i2, j1, j2
    real(real64), pointer, intent(in) :: from(:, :), to(:, :)
    integer :: i, j
    associate (w => water)
      do j = j1, j2
        do i = i1, i2
          to(i, j) = from(i, j) + 0.125_real64 * w(i, j) * &
                     (w(i - 1, j) * (from(i - 1, j) - from(i, j)) + w(i + 1, j) * (from(i + 1, j) - from(i, j)) &
                      + w(i, j - 1) * (from(i, j - 1) - from(i, j)) + w(i, j + 1) * (from(i, j + 1) - from(i, j)))
        end do
      end do
    end associate
  end subroutine

  subroutine run(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b, field_water
    type(lapwing_step) :: step
    real(real64), allocatable :: all_cells(:, :)
    logical :: wet(60, 40)
    integer :: i, j

    do j = 1, 40
      wet(:, j) = [((i - 31)**2 + (j - 21)**2 < 324 .and. (i - 37)**2 + (j - 23)**2 >= 16, i=1, 60)]
    end do
    call domain%create_masked(comm, wet)
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    call field_water%declare(domain, 'water')
    call step%stage('there', there, [writes(field_b), reads(field_a, cross(1)), reads(field_water, cross(1))])
    call step%stage('back', back, [writes(field_a), reads(field_b, cross(1)), reads(field_water, cross(1))])
    call step%create(domain, strategy='dataflow')
    call field_a%get(a)
    call field_b%get(b)
    call field_water%get(water)
    associate (i1 => domain%i1, i2 => domain%i2, j1 => domain%j1, j2 => domain%j2)
      water(i1:i2, j1:j2) = merge(1.0_real64, 0.0_real64, wet(i1:i2, j1:j2))
      a(i1:min(i2, 30), j1:j2) = water(i1:min(i2, 30), j1:j2)
    end associate
    call field_water%modified()
    call field_a%modified()
    call step%run(6)
    call field_a%gather(all_cells)
    if (domain%rank == 0) print '(a, f0.9, a, f14.12)', 'tracer ', sum(all_cells), ', at the island ', all_cells(33, 21)
  end subroutine
end module sea

program main
  use sea, only: run
  use lapwing, only: lapwing_run
  call lapwing_run(run)
end program
