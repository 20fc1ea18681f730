!> Arrays of a model, with its own bounds, kinds and orders of axes: after an exchange each halo holds its owner's values.
module test_fields
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use lapwing
  use checks, only: expect
  implicit none
  private
  public :: test_arrays_in_global_indices, test_arrays_in_local_indices, test_levels_first, test_components
  public :: test_arrays_that_come_and_go, test_start_and_wait, test_masked_domain, test_own_decomposition, test_three_axes
  integer, parameter :: nx = 13, ny = 9

contains

  !> The value of a cell of the periodic grid, whatever index it is called by.
  pure integer function code(i, j, k)
    integer, intent(in) :: i, j, k

    code = 1 + modulo(i - 1, nx) + 100 * modulo(j - 1, ny) + 10000 * k
  end function

  subroutine test_arrays_in_global_indices(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    real(real64), allocatable, target :: a(:, :)
    real(real64), allocatable :: whole(:, :)
    integer :: i, j, wrong

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    allocate (a(domain%i1 - 2:domain%i2 + 1, domain%j1 - 1:domain%j2 + 2), source=-1.0_real64)
    call field%wrap(domain, 'a', a)
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        a(i, j) = code(i, j, 0)
      end do
    end do
    call exchange%create(domain, [field], transport='p2p')
    call exchange%run()
    wrong = 0
    do j = lbound(a, 2), ubound(a, 2)
      do i = lbound(a, 1), ubound(a, 1)
        if (a(i, j) /= code(i, j, 0)) wrong = wrong + 1
      end do
    end do
    call expect(wrong == 0, 'halos of an array in global indices')
    call expect(exchange%transport() == 'p2p', 'the transport has its name')
    call field%gather(whole)
    if (domain%rank == 0) then
      call expect(all(shape(whole) == [nx, ny]), 'shape of a gathered array')
      call expect(whole(3, 5) == code(3, 5, 0), 'a gathered value')
    else
      call expect(size(whole) == 0, 'nothing is gathered elsewhere')
    end if
    call domain%close()
  end subroutine

  subroutine test_arrays_that_come_and_go(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: fields(2)
    type(lapwing_exchange) :: exchange
    real(real64), allocatable, target :: a(:, :)
    real(real32), pointer :: t(:, :, :)
    integer :: i, j, k, n, wrong

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call fields(1)%declare(domain, 'a', halo=around(1))
    call fields(2)%declare(domain, 't', type=lapwing_real32, levels=3, axes='zxy', halo=around(2))
    call exchange%create_for_arrays(domain, fields, transport='p2p')
    do n = 1, 4  ! each time in other memory, twice with wider halos
      wrong = 0
      associate (w => 1 + n / 3)
        allocate (a(domain%i1 - w:domain%i2 + w, domain%j1 - w:domain%j2 + w), source=-1.0_real64)
        allocate (t(3, domain%i1 - 2:domain%i2 + 2, domain%j1 - 2:domain%j2 + 2), source=-1.0)
      end associate
      do j = domain%j1, domain%j2
        do i = domain%i1, domain%i2
          a(i, j) = code(i, j, 0)
          t(:, i, j) = [(real(code(i, j, k)), k=1, 3)]
        end do
      end do
      call exchange%take(1, a)
      call exchange%take(2, t)
      call exchange%run()
      do j = domain%j1 - 2, domain%j2 + 2
        do i = domain%i1 - 2, domain%i2 + 2
          do k = 1, 3
            if (t(k, i, j) /= real(code(i, j, k))) wrong = wrong + 1
          end do
        end do
      end do
      do j = domain%j1 - 1, domain%j2 + 1
        do i = domain%i1 - 1, domain%i2 + 1
          if (a(i, j) /= code(i, j, 0)) wrong = wrong + 1
        end do
      end do
      call expect(wrong == 0, 'halos of arrays that come and go')
      deallocate (a, t)
    end do
    call domain%close()
  end subroutine

  subroutine test_arrays_in_local_indices(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    real(real32), pointer :: a(:, :, :)
    integer :: i, j, k, wrong

    call domain%create(comm, [nx, ny], periodic=[.true., .true.], numbering='local')
    call expect(domain%i1 == 1 .and. domain%j1 == 1, 'local indices begin at 1')
    allocate (a(0:domain%i2 + 1, 0:domain%j2 + 1, 0:4), source=-1.0_real32)
    call field%wrap(domain, 'a', a)
    do k = 0, 4
      do j = 1, domain%j2
        do i = 1, domain%i2
          a(i, j, k) = real(code(i - domain%shift(1) + 1, j - domain%shift(2) + 1, k), real32)
        end do
      end do
    end do
    call exchange%create(domain, [field])
    call exchange%run()
    wrong = 0
    do k = 0, 4
      do j = 0, domain%j2 + 1
        do i = 0, domain%i2 + 1
          if (a(i, j, k) /= code(i - domain%shift(1) + 1, j - domain%shift(2) + 1, k)) wrong = wrong + 1
        end do
      end do
    end do
    call expect(wrong == 0, 'halos of an array with levels in local indices')
    call domain%close()
    deallocate (a)
  end subroutine

  subroutine test_levels_first(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    integer(int32), pointer :: a(:, :, :)
    integer :: i, j, k, wrong

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    call field%declare(domain, 'a', type=lapwing_int32, levels=3, axes='zxy', halo=around(1))
    call field%allocate()
    call field%get(a)
    call expect(all(lbound(a) == [1, domain%i1 - 1, domain%j1 - 1]), 'lower bounds of lapwing''s memory')
    call expect(all(ubound(a) == [3, domain%i2 + 1, domain%j2 + 1]), 'upper bounds of lapwing''s memory')
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        do k = 1, 3
          a(k, i, j) = code(i, j, k)
        end do
      end do
    end do
    call exchange%create(domain, [field])
    call exchange%run()
    wrong = 0
    do j = lbound(a, 3), ubound(a, 3)
      do i = lbound(a, 2), ubound(a, 2)
        do k = 1, 3
          if (a(k, i, j) /= code(i, j, k)) wrong = wrong + 1
        end do
      end do
    end do
    call expect(wrong == 0, 'halos of an array with its levels first')
    call domain%close()
  end subroutine

  subroutine test_components(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    real(real64), allocatable, target :: a(:, :, :, :)
    integer :: i, j, k, c, wrong

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    allocate (a(2, domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1, 3), source=-1.0_real64)
    call field%wrap(domain, 'a', a, axes='cxyz')
    do k = 1, 3
      do j = domain%j1, domain%j2
        do i = domain%i1, domain%i2
          a(:, i, j, k) = [code(i, j, k), -code(i, j, k)]
        end do
      end do
    end do
    call exchange%create(domain, [field])
    call exchange%run()
    wrong = 0
    do k = 1, 3
      do j = domain%j1 - 1, domain%j2 + 1
        do i = domain%i1 - 1, domain%i2 + 1
          do c = 1, 2
            if (a(c, i, j, k) /= (3 - 2 * c) * code(i, j, k)) wrong = wrong + 1
          end do
        end do
      end do
    end do
    call expect(wrong == 0, 'halos of an array with components and levels')
    call domain%close()
  end subroutine

  subroutine test_start_and_wait(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: fields(2)
    type(lapwing_exchange) :: exchange
    real(real64), allocatable, target :: a(:, :), b(:, :)
    logical :: complete
    integer :: n

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    allocate (a(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=0.0_real64)
    allocate (b(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=0.0_real64)
    a(domain%i1:domain%i2, domain%j1:domain%j2) = 1
    b(domain%i1:domain%i2, domain%j1:domain%j2) = 2
    call fields(1)%wrap(domain, 'a', a)
    call fields(2)%wrap(domain, 'b', b)
    call exchange%create(domain, fields)
    do n = 1, 3
      call exchange%start()
      complete = .false.
      do while (.not. complete)
        call exchange%test(complete)
      end do
      call exchange%wait()
    end do
    call expect(all(a == 1) .and. all(b == 2), 'two arrays in one exchange, started and tested')
    call exchange%test(complete)
    call expect(complete, 'an exchange at rest is complete')
    call domain%close()
  end subroutine

  subroutine test_masked_domain(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    logical :: wet(nx, ny)
    integer :: cells

    wet = .true.
    wet(1:4, :) = .false.
    call domain%create_masked(comm, wet)
    call expect(domain%i1 > 4, 'no box has land alone')
    cells = (domain%i2 - domain%i1 + 1) * (domain%j2 - domain%j1 + 1)
    call expect(cells > 0 .and. cells <= (nx - 4) * ny, 'a box of water')
    call domain%close()
  end subroutine

  subroutine test_own_decomposition(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: best, domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    real(real64), allocatable, target :: a(:, :)
    integer :: first(2), last(2), i, j, wrong

    call best%create(comm, [nx, ny])
    ! strips along y, whatever the best blocks are; the last rank has none where there are several
    first = [1, 1 + best%rank * ny / max(1, best%ranks - 1)]
    last = [nx, (best%rank + 1) * ny / max(1, best%ranks - 1)]
    if (best%ranks > 1 .and. best%rank == best%ranks - 1) last(2) = first(2) - 1
    call domain%create_from_cells(comm, [nx, ny], first, last, periodic=[.true., .true.])
    if (domain%is_empty()) then
      allocate (a(1, 1), source=-1.0_real64)
    else
      call expect(domain%j1 == first(2) .and. domain%j2 == last(2), 'the cells that the model named')
      allocate (a(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=-1.0_real64)
      do j = domain%j1, domain%j2
        do i = domain%i1, domain%i2
          a(i, j) = code(i, j, 0)
        end do
      end do
    end if
    call field%wrap(domain, 'a', a, halo=around(1))
    call exchange%create(domain, [field])
    call exchange%run()
    wrong = 0
    do j = domain%j1 - 1, domain%j2 + 1
      do i = domain%i1 - 1, domain%i2 + 1
        if (domain%is_empty()) cycle
        if (a(i, j) /= code(i, j, 0)) wrong = wrong + 1
      end do
    end do
    call expect(wrong == 0, 'halos between the boxes of the model''s own decomposition')
    call domain%close()
    call best%close()
  end subroutine

  subroutine test_three_axes(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    real(real64), allocatable, target :: a(:, :, :)

    call domain%create(comm, [8, 8, 8], periodic=[.true., .true., .true.])
    allocate (a(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1, domain%k1 - 1:domain%k2 + 1), &
              source=0.0_real64)
    a(domain%i1:domain%i2, domain%j1:domain%j2, domain%k1:domain%k2) = 5
    call field%wrap(domain, 'a', a)
    call exchange%create(domain, [field])
    call exchange%run()
    call expect(all(a == 5), 'halos along three axes')
    call domain%close()
  end subroutine
end module test_fields
