! The heat of ../heat.cpp in Fortran, with the same bits: no communication code.
module heat
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none
  real(real64), pointer :: a(:, :), b(:, :)
contains
  subroutine there(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    associate (a => a, b => b)  ! loops over pointers themselves do not vectorise
      do j = j1, j2
        do i = i1, i2
          b(i, j) = a(i, j) + 0.2_real64 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1) - 4 * a(i, j))
        end do
      end do
    end associate
  end subroutine

  subroutine back(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    associate (a => a, b => b)
      do j = j1, j2
        do i = i1, i2
          a(i, j) = b(i, j) + 0.2_real64 * (b(i - 1, j) + b(i + 1, j) + b(i, j - 1) + b(i, j + 1) - 4 * b(i, j))
        end do
      end do
    end associate
  end subroutine

  subroutine run(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field_a, field_b
    type(lapwing_step) :: step
    real(real64), allocatable :: values(:, :)
    real(real64) :: total
    integer :: i, j

    call domain%create(comm, [240, 160], periodic=[.true., .true.])
    call field_a%declare(domain, 'a')
    call field_b%declare(domain, 'b')
    call step%stage('there', there, [writes(field_b), reads(field_a, cross(1))])
    call step%stage('back', back, [writes(field_a), reads(field_b, cross(1))])
    call step%create(domain, strategy='dataflow')

    call field_a%get(a)  ! the cells domain%i1..i2, domain%j1..j2 and their halo
    call field_b%get(b)
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        a(i, j) = exp(-0.01_real64 * hypot(real(i - 121, real64), real(j - 81, real64)))
      end do
    end do
    call field_a%modified()
    call step%run(200)

    call field_a%gather(values)
    if (domain%rank > 0) return
    total = 0
    do j = 1, 160
      do i = 1, 240
        total = total + values(i, j)
      end do
    end do
    print '(a, f0.9)', 'heat ', total
  end subroutine
end module heat

program main
  use heat, only: run
  use lapwing, only: lapwing_run
  call lapwing_run(run)
end program
