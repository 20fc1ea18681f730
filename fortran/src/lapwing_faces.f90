!> Faces: equal parts of a grid that meet along their sides, as those of a cubed sphere do.
module lapwing_faces
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_loc
  use lapwing_c, only: c_connection, c_cubed_sphere, c_field_spec
  use lapwing_errors, only: c_text
  implicit none
  private
  public :: lapwing_cubed_sphere, lapwing_face_set, name_pair, text_of_c

  !> Face f of n columns is columns (f - 1) n + 1 to f n of the grid.
  type :: lapwing_face_set
    integer :: count = 0
    type(c_connection), allocatable :: connections(:)
  contains
    procedure :: connect
  end type

  !> A text as C expects it.
  type :: text_of_c
    character(kind=c_char), allocatable :: text(:)
  end type

  interface lapwing_face_set
    module procedure faces_without_connections
  end interface

contains

  !> Faces, numbered from 1, without connections. Local.
  pure function faces_without_connections(count) result(faces)
    integer, intent(in) :: count
    type(lapwing_face_set) :: faces

    faces%count = count
    allocate (faces%connections(0))
  end function

  !> Connects a side, 'west', 'east', 'south' or 'north', with a side of another face or of the same. reversed: indices
  !> along one of them rise where they fall along the other. What is wrong is found when a domain is made. Local.
  pure subroutine connect(self, face, side, other, other_side, reversed)
    class(lapwing_face_set), intent(inout) :: self
    integer, intent(in) :: face, other
    character(*), intent(in) :: side, other_side
    logical, intent(in), optional :: reversed
    type(c_connection) :: one

    one = c_connection(int(face - 1, c_int), side_number(side), int(other - 1, c_int), side_number(other_side))
    if (present(reversed)) one%reversed = merge(1_c_int, 0_c_int, reversed)
    self%connections = [self%connections, one]
  end subroutine

  !> The number of the C interface; -1, which lapwing refuses, for another word.
  pure integer(c_int) function side_number(name)
    character(*), intent(in) :: name
    character(5), parameter :: names(0:3) = ['west ', 'east ', 'south', 'north']
    integer :: n

    side_number = -1
    do n = 0, 3
      if (name == names(n)) side_number = int(n, c_int)
    end do
  end function

  !> The six faces of a cubed sphere as MITgcm numbers them: upper ends of sides meet lower ends, so that every point
  !> between two faces has one owner. Local.
  function lapwing_cubed_sphere() result(faces)
    type(lapwing_face_set) :: faces
    integer(c_int) :: code

    faces%count = 6
    allocate (faces%connections(12))
    code = c_cubed_sphere(faces%connections)
  end function

  !> Gives the names of a pair to C; `names` holds them.
  subroutine name_pair(pair, names, spec)
    character(*), intent(in), optional :: pair(2)
    type(text_of_c), intent(inout), target :: names(2)
    type(c_field_spec), intent(inout) :: spec
    integer :: n

    if (.not. present(pair)) return
    do n = 1, 2
      names(n)%text = c_text(trim(pair(n)))
      spec%pair(n) = c_loc(names(n)%text)
    end do
  end subroutine
end module lapwing_faces
