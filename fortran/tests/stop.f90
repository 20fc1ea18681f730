!> Programs that do not ask for `stat`, with an error: before MPI, after it, on all ranks, on one alone, and of a port
!> that one rank does not call, once or any more.
module stops
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  implicit none

  interface  ! of the MPI for C, as there may be none for Fortran
    integer(c_int) function mpi_init(count, words) bind(C, name='MPI_Init')
      import :: c_int, c_ptr
      type(c_ptr), value :: count, words
    end function
    integer(c_int) function mpi_finalize() bind(C, name='MPI_Finalize')
      import :: c_int
    end function
  end interface

contains
  subroutine everywhere(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_step) :: step

    call domain%create(comm, [8, 8])
    call field%declare(domain, 'a')
    call step%stage('nothing', nothing, [writes(field)])
    call step%create(domain, strategy='sideways')
    print *, 'not reached'
  end subroutine

  subroutine alone(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field

    call domain%create(comm, [8, 8])
    if (domain%rank == 1) call field%modified()
    call domain%close()
    print *, 'not reached'
  end subroutine

  !> Rank 1 does not come to the check, and then to the next step.
  subroutine missed(comm)
    integer, intent(in) :: comm

    call step_with_check(comm, .true.)
    print *, 'not reached'
  end subroutine

  !> Rank 1 does not come to the check, nor to any other call.
  subroutine gone(comm)
    integer, intent(in) :: comm

    call step_with_check(comm, .false.)
  end subroutine

  subroutine step_with_check(comm, goes_on)
    integer, intent(in) :: comm
    logical, intent(in) :: goes_on
    type(lapwing_domain) :: domain
    type(lapwing_port) :: port
    real(real64), allocatable, target :: z(:, :)

    call domain%create(comm, [8, 8])
    allocate (z(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=0.0_real64)
    call port%create(comm, [8, 8], [domain%i1, domain%j1], [domain%i2, domain%j2])
    call port%begin_step()
    if (domain%rank /= 1) call port%check_halo('z', z, 1)
    if (goes_on) call port%begin_step()
  end subroutine

  subroutine nothing(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    if (i1 > i2 .or. j1 > j2) error stop 'an empty box'
  end subroutine
end module stops

program main
  use stops
  implicit none
  character(20) :: kind
  type(lapwing_domain) :: domain

  call get_command_argument(1, kind)
  select case (kind)
  case ('early')
    call domain%create(0, [8, 8])
    print *, 'not reached'
  case ('late')
    if (mpi_init(c_null_ptr, c_null_ptr) /= 0 .or. mpi_finalize() /= 0) error stop 'MPI does not start and end'
    call domain%create(0, [8, 8])
    print *, 'not reached'
  case ('everywhere')
    call lapwing_run(everywhere)
  case ('alone')
    call lapwing_run(alone)
  case ('missed')
    call lapwing_run(missed)
  case ('gone')
    call lapwing_run(gone)
  end select
end program
