!> What a port has counted: a row for each field and call site, and its report as JSON.
module lapwing_port_rows
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: port_row, place_of_row, write_rows

  !> The calls of one site in the steps, all ranks together.
  type :: port_row
    character(:), allocatable :: call, field, site, with
    integer :: width = 0
    !> Calls; calls that changed no halo; calls that could have travelled with an earlier one.
    integer :: calls = 0, needless = 0, combined = 0
    !> True if any cell of a halo has an owner to come from.
    logical :: fills = .false.
    !> Of one call, and what combining saves in all calls.
    integer(int64) :: messages = 0, bytes = 0, saved = 0
    !> Halo cells that differed from their owners: of a check, missing; most of one call, and the first step.
    integer(int64) :: most_cells = 0
    integer :: stale = 0, first_step = 0
  end type

contains

  !> The number of a row, which is added where there is none.
  integer function place_of_row(rows, call, field, site, width) result(n)
    type(port_row), allocatable, intent(inout) :: rows(:)
    character(*), intent(in) :: call, field, site
    integer, intent(in) :: width
    type(port_row) :: row

    do n = 1, size(rows)
      if (rows(n)%call == call .and. rows(n)%field == field .and. rows(n)%site == site .and. rows(n)%width == width) return
    end do
    row%call = call
    row%field = field
    row%site = site
    row%with = ''
    row%width = width
    rows = [rows, row]
  end function

  !> Writes the report; status: other than 0 where the disk refuses. Local.
  subroutine write_rows(path, rows, ranks, steps, set_up_calls, fixed, status)
    character(*), intent(in) :: path
    type(port_row), intent(in) :: rows(:)
    integer, intent(in) :: ranks, steps, set_up_calls
    logical, intent(in) :: fixed
    integer, intent(out) :: status
    integer :: unit, n

    open (newunit=unit, file=path, status='replace', action='write', iostat=status)
    if (status /= 0) return
    write (unit, '(a, i0, a, i0, a, i0, 3a)', iostat=status) '{"schema": "lapwing-port-calls-1", "ranks": ', ranks, &
      ', "steps": ', steps, ', "set_up_calls": ', set_up_calls, ', "fixed": ', trim(merge('true ', 'false', fixed)), ','
    if (status == 0) call write_all()
    close (unit)

  contains

    subroutine write_all()
      write (unit, '(a)', iostat=status) '"rows": ['
      do n = 1, size(rows)
        if (status == 0) write (unit, '(2a)', iostat=status) text_of(rows(n)), merge(',', ' ', n < size(rows))
      end do
      if (status == 0) write (unit, '(a)', iostat=status) ']}'
    end subroutine
  end subroutine

  function text_of(row) result(text)
    type(port_row), intent(in) :: row
    character(:), allocatable :: text

    text = '{"call": '//quoted(row%call)//', "field": '//quoted(row%field)//', "site": '//quoted(row%site)// &
           ', "width": '//number(int(row%width, int64))//', "calls": '//number(int(row%calls, int64))// &
           ', "fills": '//trim(merge('true ', 'false', row%fills))//', "needless": '//number(int(row%needless, int64))// &
           ', "messages": '//number(row%messages)//', "bytes": '//number(row%bytes)// &
           ', "combined": '//number(int(row%combined, int64))//', "with": '//quoted(row%with)// &
           ', "saved_messages": '//number(row%saved)//', "stale": '//number(int(row%stale, int64))// &
           ', "most_cells": '//number(row%most_cells)//', "first_step": '//number(int(row%first_step, int64))//'}'
  end function

  function number(value) result(text)
    integer(int64), intent(in) :: value
    character(:), allocatable :: text
    character(24) :: digits

    write (digits, '(i0)') value
    text = trim(digits)
  end function

  !> A string of JSON; letters that it would have to escape, other than these two, become spaces.
  function quoted(words) result(text)
    character(*), intent(in) :: words
    character(:), allocatable :: text
    integer :: n

    text = '"'
    do n = 1, len_trim(words)
      if (words(n:n) == '"' .or. words(n:n) == achar(92)) text = text//achar(92)
      text = text//merge(words(n:n), ' ', iachar(words(n:n)) >= 32)
    end do
    text = text//'"'
  end function
end module lapwing_port_rows
