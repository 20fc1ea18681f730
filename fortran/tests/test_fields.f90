!> Arrays of a model, with its own bounds, kinds and orders of axes: after an exchange each halo holds its owner's values.
module test_fields
  use, intrinsic :: iso_c_binding, only: c_bool
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_arrays_in_global_indices, test_arrays_in_local_indices, test_levels_first, test_components
  public :: test_arrays_that_come_and_go, test_start_and_wait, test_masked_domain, test_own_decomposition, test_three_axes
  public :: test_north_fold, test_faces, test_masks_and_frame
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

  !> Across a fold through T points: yfaces of row j, from ny on, are yfaces of row 2 ny - 1 - j and column nx + 2 - i with
  !> the other sign.
  subroutine test_north_fold(comm)
    integer, intent(in) :: comm
    integer, parameter :: columns = 12
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field
    type(lapwing_exchange) :: exchange
    real(real64), allocatable, target :: v(:, :)
    character(200) :: errmsg
    integer :: i, j, here, expected, wrong, stat

    call domain%create(comm, [columns, ny], periodic=[.true., .false.], north_fold='T')
    allocate (v(domain%i1 - 2:domain%i2 + 2, domain%j1 - 2:domain%j2 + 2), source=0.0_real64)
    call field%wrap(domain, 'v', v, location='yface', vector=.true.)
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        v(i, j) = i + 100 * j
      end do
    end do
    call exchange%create(domain, [field], transport='p2p')
    call exchange%run()
    wrong = 0
    do j = max(1, lbound(v, 2)), ubound(v, 2)
      do i = lbound(v, 1), ubound(v, 1)
        here = 1 + modulo(i - 1, columns)
        expected = here + 100 * j
        if (j >= ny) expected = -(1 + modulo(1 - i, columns) + 100 * (2 * ny - 1 - j))
        if (v(i, j) /= expected) wrong = wrong + 1
      end do
    end do
    call expect(wrong == 0, 'a vector across a north fold')
    call domain%close()
    call domain%create(comm, [7, ny], periodic=[.true., .false.], north_fold='F', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, '7 cells along x; expected an even number')
    call domain%create(comm, [8, ny], periodic=[.true., .false.], north_fold='V', stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'north fold')
  end subroutine

  !> A ring of faces, one for each rank: the east of each is the south of the next, its north the next one's west, each
  !> with indices that run against each other. Components of a vector change places.
  subroutine test_faces(comm)
    integer, intent(in) :: comm
    integer, parameter :: n = 6
    type(lapwing_domain) :: domain
    type(lapwing_field) :: fields(2)
    type(lapwing_exchange) :: exchange
    type(lapwing_face_set) :: faces
    real(real64), allocatable, target :: u(:, :), v(:, :)
    character(200) :: errmsg
    integer :: face, i, j, next, ranks, stat, wrong

    call domain%create(comm, [nx, ny])
    ranks = domain%ranks
    call domain%close()
    faces = lapwing_face_set(ranks)
    do face = 1, ranks
      call faces%connect(face, 'east', 1 + modulo(face, ranks), 'south', reversed=.true.)
      call faces%connect(face, 'north', 1 + modulo(face, ranks), 'west', reversed=.true.)
    end do
    call domain%create(comm, [ranks * n, n], blocks=[ranks, 1], faces=faces)
    allocate (u(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=0.0_real64)
    allocate (v(domain%i1 - 1:domain%i2 + 1, domain%j1 - 1:domain%j2 + 1), source=0.0_real64)
    call fields(1)%wrap(domain, 'u', u, location='xface', vector=.true., pair=['u', 'v'])
    call fields(2)%wrap(domain, 'v', v, location='yface', vector=.true., pair=['u', 'v'])
    do j = 1, n
      do i = domain%i1, domain%i2
        u(i, j) = i + 100 * j
        v(i, j) = 5000 + i + 100 * j
      end do
    end do
    call exchange%create(domain, fields, transport='p2p')
    call exchange%run()
    next = modulo(domain%i1 - 1 + n, ranks * n)  ! columns before the next face
    wrong = 0
    do j = 1, n
      if (u(domain%i2 + 1, j) /= 5000 + next + n + 1 - j + 100) wrong = wrong + 1
    end do
    do i = 1, n
      if (v(domain%i1 - 1 + i, n + 1) /= next + 1 + 100 * (n + 1 - i)) wrong = wrong + 1
    end do
    do i = 1, n - 1
      if (u(domain%i1 - 1 + i, n + 1) /= -(5000 + next + 1 + 100 * (n - i))) wrong = wrong + 1
    end do
    call expect(wrong == 0, 'a vector between faces')
    call domain%close()
    call faces%connect(1, 'east', 1, 'west')
    call domain%create(comm, [ranks * n, n], faces=faces, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'already')
    call domain%create(comm, [13, n], faces=lapwing_cubed_sphere(), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, '13 cells along x; expected a multiple of 6')
  end subroutine

  !> A closed grid whose arrays keep values in the ghost cells around it: a number, a mask of one byte, and a default one.
  subroutine test_masks_and_frame(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: domain
    type(lapwing_field) :: fields(3)
    type(lapwing_exchange) :: exchange, of_calls
    real(real64), allocatable, target :: a(:, :)
    logical(c_bool), allocatable, target :: wet(:, :)
    logical, allocatable, target :: open(:, :)
    logical, allocatable :: whole(:, :)
    integer :: way

    call domain%create(comm, [nx, ny])
    allocate (a(domain%i1 - 2:domain%i2 + 2, domain%j1 - 2:domain%j2 + 2))
    allocate (wet(domain%i1 - 2:domain%i2 + 2, domain%j1 - 2:domain%j2 + 2))
    allocate (open(domain%i1 - 2:domain%i2 + 2, domain%j1 - 2:domain%j2 + 2))
    call fields(1)%wrap(domain, 'a', a, frame=.true.)
    call fields(2)%wrap(domain, 'wet', wet, frame=.true.)
    call fields(3)%wrap(domain, 'open', open, frame=.true.)
    call exchange%create(domain, fields)
    call fields(1)%declare(domain, 'a', axes='xy', halo=around(2), frame=.true.)
    call fields(2)%declare(domain, 'wet', type=lapwing_bool, axes='xy', halo=around(2), frame=.true.)
    call of_calls%create_for_arrays(domain, fields(1:2))
    do way = 1, 2
      call set()
      if (way == 1) call exchange%run()
      if (way == 2) then
        call of_calls%take(1, a)
        call of_calls%take(2, wet)
        call of_calls%run()
        call exchange%run()  ! for the default mask
      end if
      call expect(wrong() == 0, 'masks and numbers in the ghost cells around a closed grid')
    end do
    call fields(3)%gather(whole)
    if (domain%rank == 0) call expect(whole(3, 5) .eqv. is_wet(3, 5), 'a gathered mask')
    call domain%close()

  contains

    !> Cells of this rank, with the ghost cells at sides of the grid, have their values; halos have none.
    subroutine set()
      integer :: i, j
      logical :: here

      do j = domain%j1 - 2, domain%j2 + 2
        do i = domain%i1 - 2, domain%i2 + 2
          here = (i >= domain%i1 .or. domain%i1 == 1) .and. (i <= domain%i2 .or. domain%i2 == nx) .and. &
                 (j >= domain%j1 .or. domain%j1 == 1) .and. (j <= domain%j2 .or. domain%j2 == ny)
          a(i, j) = merge(i + 100 * j, -9999, here)
          wet(i, j) = logical(is_wet(i, j) .eqv. here, c_bool)
          open(i, j) = is_wet(i, j) .eqv. here
        end do
      end do
    end subroutine

    pure logical function is_wet(i, j)
      integer, intent(in) :: i, j

      is_wet = modulo(i + 3 * j, 4) < 2
    end function

    integer function wrong()
      integer :: i, j

      wrong = 0
      do j = domain%j1 - 2, domain%j2 + 2
        do i = domain%i1 - 2, domain%i2 + 2
          if (nint(a(i, j)) /= i + 100 * j) wrong = wrong + 1
          if (wet(i, j) .neqv. is_wet(i, j)) wrong = wrong + 1
          if (open(i, j) .neqv. is_wet(i, j)) wrong = wrong + 1
        end do
      end do
    end function
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
