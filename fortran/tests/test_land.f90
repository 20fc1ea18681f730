!> Steps that do not compute land: the bits of those that do, and fewer cells.
module test_land
  use, intrinsic :: iso_fortran_env, only: real64
  use lapwing
  use checks, only: expect, expect_error
  implicit none
  private
  public :: test_costs_of_boxes, test_steps_without_land
  integer, parameter :: nx = 120, ny = 30
  real(real64), pointer :: level(:, :), before(:, :)
  logical :: wet(nx, ny)
  integer :: cells = 0  ! that were computed
  integer :: dry = 0    ! cells of this rank

contains

  !> Boxes follow the costs of the machine: a fast rank has more water than a slow one.
  subroutine test_costs_of_boxes(comm)
    integer, intent(in) :: comm
    type(lapwing_domain) :: alike, uneven, halves, bad
    real(real64), allocatable :: speeds(:)
    real(real64) :: least, largest, all_water
    integer :: stat
    character(300) :: errmsg

    wet = .true.
    wet(21:90, 6:24) = .false.
    call alike%create_masked(comm, wet)
    speeds = [real(real64) :: spread(1, 1, alike%ranks)]
    speeds(1) = 3
    call uneven%create_masked(comm, wet, costs=[1.0_real64, 0.0_real64, 0.1_real64, 0.1_real64, 0.0_real64], width=1, &
                              speeds=speeds)
    call uneven%reduce('sum', water_of(uneven), all_water)
    call expect(nint(all_water) == count(wet), 'each wet cell has one owner under other costs')
    call uneven%reduce('maximum', water_of(uneven), largest)
    call uneven%reduce('minimum', merge(-water_of(uneven), 0.0_real64, uneven%rank == 0), least)
    call expect(nint(-least) == nint(largest), 'the fast rank has the most water')
    call expect(largest > 1.2_real64 * all_water / uneven%ranks .or. uneven%ranks == 1, 'by what it is faster')
    call halves%create_masked(comm, wet, ranks_per_node=2, nodes_first=.true.)
    call halves%reduce('sum', water_of(halves), all_water)
    call expect(nint(all_water) == count(wet), 'each wet cell has one owner where nodes are cut first')
    call bad%create_masked(comm, wet, speeds=speeds(:alike%ranks - 1), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'speeds of ranks: got ')
    call bad%create_masked(comm, wet, width=-1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'width')
    call bad%create_masked(comm, wet, ranks_per_node=-1, stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'ranks per node')
    call bad%create_masked(comm, wet, costs=[1.0_real64, -1.0_real64, 0.0_real64, 0.0_real64, 0.0_real64], stat=stat, &
                           errmsg=errmsg)
    call expect_error(stat, errmsg, 'cost coefficient: got -1')
    call alike%close()
    call uneven%close()
    call halves%close()
  end subroutine

  !> The wet cells of this rank.
  real(real64) function water_of(domain)
    type(lapwing_domain), intent(in) :: domain

    water_of = count(wet(domain%i1:domain%i2, domain%j1:domain%j2))
  end function

  subroutine test_steps_without_land(comm)
    integer, intent(in) :: comm
    character(*), parameter :: strategies(*) = [character(14) :: 'blocking', 'dataflow', 'deep:2+tiled:5']
    real(real64), allocatable :: expected(:, :), values(:, :)
    integer :: n, all_cells, stat
    type(lapwing_domain) :: domain
    character(300) :: errmsg

    wet = .true.
    wet(21:90, 6:24) = .false.
    wet(50:60, 12:15) = .true.
    call run_sea(comm, 'blocking', .false., expected)
    all_cells = cells
    do n = 1, size(strategies)
      call run_sea(comm, trim(strategies(n)), .true., values)
      if (size(values) > 0) call expect(all(values == expected), 'bits of a sea without land under '//strategies(n))
      if (n == 1) call expect(cells < all_cells .or. dry == 0, 'less is computed without land')
    end do
    call domain%create(comm, [nx, ny])
    call domain%set_land(wet(1:3, :), stat=stat, errmsg=errmsg)
    call expect_error(stat, errmsg, 'wet: got another shape than the grid')
    call domain%set_land(wet, 'holes', stat, errmsg)
    call expect_error(stat, errmsg, 'form of wet messages: got holes')
    call domain%close()
  end subroutine

  subroutine run_sea(comm, strategy, leaves_land, values)
    integer, intent(in) :: comm
    character(*), intent(in) :: strategy
    logical, intent(in) :: leaves_land
    real(real64), allocatable, intent(out) :: values(:, :)
    type(lapwing_domain) :: domain
    type(lapwing_field) :: field, old
    type(lapwing_step) :: step
    integer :: i, j

    call domain%create(comm, [nx, ny], periodic=[.true., .true.])
    if (leaves_land) call domain%set_land(wet)
    call field%declare(domain, 'level', constant_on_land=.true.)
    call old%declare(domain, 'before', constant_on_land=.true.)
    call step%stage('keep', keep, [writes(old), reads(field)])
    call step%stage('rise', rise, [updates(field), reads(old, cross(1))])
    call step%create(domain, strategy=strategy)
    call field%get(level)
    call old%get(before)
    do j = domain%j1, domain%j2
      do i = domain%i1, domain%i2
        level(i, j) = sin(0.7_real64 * (3 * i + 5 * j))
      end do
    end do
    dry = count(.not. wet(domain%i1:domain%i2, domain%j1:domain%j2))
    call field%modified()
    call step%run(2)
    cells = 0
    call step%run(6)
    call field%gather(values)
    call domain%close()
  end subroutine

  subroutine keep(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2

    cells = cells + (i2 - i1 + 1) * (j2 - j1 + 1)
    before(i1:i2, j1:j2) = level(i1:i2, j1:j2)
  end subroutine

  subroutine rise(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j

    do j = j1, j2
      do i = i1, i2
        if (.not. wet(modulo(i - 1, nx) + 1, modulo(j - 1, ny) + 1)) cycle
        level(i, j) = 0.5_real64 * before(i, j) + 0.1_real64 * (before(i - 1, j) + before(i + 1, j) &
                                                                + before(i, j - 1) + before(i, j + 1))
      end do
    end do
  end subroutine
end module test_land
