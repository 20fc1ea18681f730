!> A program that calls MPI itself: its communicators, exchanges and steps on them, and calls too early and too late.
module program_parts
  use, intrinsic :: iso_fortran_env, only: real64
  use MPI_MODULE
  use lapwing
  implicit none
  integer, parameter :: nx = 13, ny = 9
  real(real64), pointer :: a(:, :), b(:, :)
  integer :: failures = 0
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (holds) return
    failures = failures + 1
    print '(2a)', 'failed: ', what
  end subroutine

  subroutine expect_error(stat, errmsg, words)
    integer, intent(in) :: stat
    character(*), intent(in) :: errmsg, words

    call expect(stat == 2 .and. index(errmsg, words) > 0, words//' is not in: '//trim(errmsg))
  end subroutine

  pure integer function code(i, j)
    integer, intent(in) :: i, j

    code = 1 + modulo(i - 1, nx) + 100 * modulo(j - 1, ny)
  end function

  subroutine without_mpi(words)
    character(*), intent(in) :: words
    type(lapwing_domain) :: domain
    character(500) :: errmsg
    integer :: stat

    call domain%create(0, [nx, ny], stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, words)
  end subroutine

  subroutine move(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    b(i1:i2, j1:j2) = a(i1 + 1:i2 + 1, j1:j2)
  end subroutine

  !> Exchanges, a step and a solver on a communicator of the model.
  subroutine work_on(comm, exchange, step, equation)
    integer, intent(in) :: comm
    type(lapwing_exchange), intent(inout) :: exchange
    type(lapwing_step), intent(inout) :: step
    type(lapwing_helmholtz), intent(inout) :: equation
    type(lapwing_domain), save :: domain, rows
    type(lapwing_field), save :: field_a, field_b, field_c
    real(real64), pointer :: c(:, :)
    real(real64) :: total
    integer :: i, j, wrong

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    associate (i1 => domain%i1, i2 => domain%i2, j1 => domain%j1, j2 => domain%j2)
      allocate (a(i1 - 1:i2 + 1, j1 - 1:j2 + 1), b(i1 - 1:i2 + 1, j1 - 1:j2 + 1))
      a = 0
      b = 0
      call field_a%wrap(domain, 'a', a)
      call field_b%wrap(domain, 'b', b)
      do j = j1, j2
        do i = i1, i2
          a(i, j) = code(i, j)
        end do
      end do
      call exchange%create(domain, [field_a])
      call exchange%run()
      wrong = 0
      do j = j1 - 1, j2 + 1
        do i = i1 - 1, i2 + 1
          if (nint(a(i, j)) /= code(i, j)) wrong = wrong + 1
        end do
      end do
      call expect(wrong == 0, 'halos on a communicator of the model')
      call step%stage('move', move, [writes(field_b), reads(field_a, ahead('x'))])
      call step%create(domain)
      call field_a%modified()
      call step%run(1)
      wrong = 0
      do j = j1, j2
        do i = i1, i2
          if (nint(b(i, j)) /= code(i + 1, j)) wrong = wrong + 1
        end do
      end do
      call expect(wrong == 0, 'a step on a communicator of the model')
      call rows%create(comm, [nx, ny], blocks=[1, domain%ranks])  ! whole rows, as there are no levels
      call field_c%declare(rows, 'c')
      call field_c%allocate()
      call field_c%get(c)
      c = 2
      call equation%create(rows, field_c, [4.0_real64], [1.0_real64, 1.0_real64], ['periodic', 'neumann '])
      call equation%solve()
      call expect(all(abs(c - 0.5_real64) < 1e-12_real64), 'a solver on a communicator of the model')
      call field_c%reduce('sum', total)
      call expect(abs(total - 0.5_real64 * nx * ny) < 1e-9_real64, 'a sum on a communicator of the model')
    end associate
  end subroutine
end module program_parts

program with_mpi
  use program_parts
  implicit none
  type(lapwing_exchange), save :: exchange
  type(lapwing_step), save :: step
  type(lapwing_helmholtz), save :: equation
  type(lapwing_domain), save :: none
  character(500) :: errmsg
  integer :: rank, stat
#ifdef F08
  type(MPI_Comm) :: half
#define HANDLE(comm) comm%MPI_VAL
#else
  integer :: half
#define HANDLE(comm) comm
#endif

  call without_mpi('MPI: got not initialised; expected running')
  call MPI_Init(stat)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, stat)
  call none%create(HANDLE(MPI_COMM_NULL), [nx, ny], stat=stat, errmsg=errmsg)
  call expect_error(stat, errmsg, 'communicator: got MPI_COMM_NULL')
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half, stat)
  call work_on(HANDLE(half), exchange, step, equation)
  call MPI_Barrier(MPI_COMM_WORLD, stat)
  call MPI_Finalize(stat)
  call without_mpi('MPI: got finalised; expected running')
  call exchange%run(stat=stat, errmsg=errmsg)
  call expect_error(stat, errmsg, 'MPI: got finalised; expected running')
  call step%run(1, stat=stat, errmsg=errmsg)
  call expect_error(stat, errmsg, 'MPI: got finalised; expected running')
  call equation%solve(stat=stat, errmsg=errmsg)
  call expect_error(stat, errmsg, 'MPI: got finalised; expected running')
  if (failures > 0) error stop 'not all is as it should be'
  if (rank == 0) print '(a)', 'with_mpi: all as it should be'
end program
