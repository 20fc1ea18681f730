!> Programs that do not ask for `stat`, with an error: before MPI, after it, on all ranks, on one alone.
module stops
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
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
  end select
end program
