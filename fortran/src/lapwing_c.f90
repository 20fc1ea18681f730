!> The C interface of lapwing, lapwing/c/lapwing.h, as Fortran sees it. Models use the module lapwing over it.
module lapwing_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, c_null_funptr, c_null_ptr, c_ptr
  implicit none
  private :: c_char, c_double, c_funptr, c_int, c_int64_t, c_null_funptr, c_null_ptr, c_ptr
  public

  type, bind(C) :: c_box
    integer(c_int64_t) :: lo(3) = 0, hi(3) = 0
  end type

  type, bind(C) :: c_grid
    integer(c_int64_t) :: size(3) = 1
    integer(c_int) :: periodic(3) = 0
    integer(c_int) :: north_fold = 0
    integer(c_int) :: faces = 0, connection_count = 0
    type(c_ptr) :: connections = c_null_ptr
  end type

  type, bind(C) :: c_partition_costs
    real(c_double) :: coefficients(5) = 0
    integer(c_int) :: width = 0, ranks_per_node = 0, nodes_first = 0
    type(c_ptr) :: speeds = c_null_ptr
    integer(c_int) :: speed_count = 0, assigned = 0
  end type

  type, bind(C) :: c_connection
    integer(c_int) :: face = 0, side = 0, other = 0, other_side = 0, reversed = 0
  end type

  !> How far a kernel reads around a cell; made by ahead, behind, around and cross.
  type, bind(C) :: lapwing_extent
    integer(c_int) :: lo(3) = 0, hi(3) = 0
    integer(c_int) :: corners = 1
  end type

  type, bind(C) :: c_field_spec
    type(c_ptr) :: name = c_null_ptr
    integer(c_int) :: type = 0, location = 0, levels = 0, components = 1
    integer(c_int) :: order(4) = [0, 1, 2, 3]
    type(lapwing_extent) :: halo
    type(c_ptr) :: component_extents = c_null_ptr
    integer(c_int) :: vector = 0
    integer(c_int) :: constant_on_land = 0
    type(c_ptr) :: pair(2) = c_null_ptr
    integer(c_int) :: frame = 0
  end type

  type, bind(C) :: c_block
    type(c_ptr) :: data = c_null_ptr
    type(c_box) :: owned, allocated
    integer(c_int64_t) :: strides(4) = 0
  end type

  type, bind(C) :: c_use
    type(c_ptr) :: field = c_null_ptr
    integer(c_int) :: access = 0
    type(lapwing_extent) :: extent
    type(c_ptr) :: wide_as = c_null_ptr
    integer(c_int) :: widths(8) = 0
  end type

  type, bind(C) :: c_view
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: strides(4) = 0, origin = 0
  end type

  type, bind(C) :: c_stage
    type(c_ptr) :: name = c_null_ptr
    type(c_funptr) :: kernel = c_null_funptr
    type(c_ptr) :: context = c_null_ptr, uses = c_null_ptr
    integer(c_int) :: use_count = 0
    type(c_ptr) :: reduces = c_null_ptr, region = c_null_ptr
    type(c_funptr) :: then = c_null_funptr
    integer(c_int) :: in_any_order = 0, repeats = 0
    real(c_double) :: repeats_above = 0
    integer(c_int) :: position = 0
    type(lapwing_extent) :: rim
    integer(c_int) :: iteration = 0
  end type

  type, bind(C) :: c_step_options
    type(c_ptr) :: strategy = c_null_ptr, transport = c_null_ptr
    integer(c_int) :: threads = 0
  end type

  type, bind(C) :: c_census_entry
    integer(c_int) :: position = 0, steady = 0, unasked = 0
    type(c_ptr) :: stage = c_null_ptr, fields = c_null_ptr, needless = c_null_ptr
    integer(c_int64_t) :: messages = 0, bytes = 0, runs = 0
    real(c_double) :: packing = 0, late = 0, transfer = 0
  end type

  !> The volume that a step sends per step on this rank, and the cost of its exchanges, s.
  type, bind(C) :: lapwing_costs
    real(c_double) :: exchanges = 0, messages = 0, bytes = 0
    integer(c_int64_t) :: steps = 0
    real(c_double) :: start_seconds = 0, wait_seconds = 0
  end type

  interface
    function c_message() bind(C, name="lapwing_message") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    function c_run(program, context) bind(C, name="lapwing_run") result(code)
      import :: c_funptr, c_ptr, c_int
      type(c_funptr), value :: program
      type(c_ptr), value :: context
      integer(c_int) :: code
    end function

    subroutine c_stop(code, message) bind(C, name="lapwing_stop")
      import :: c_char, c_int
      integer(c_int), value :: code
      character(kind=c_char), intent(in) :: message(*)
    end subroutine

    subroutine c_exit(code) bind(C, name="exit")
      import :: c_int
      integer(c_int), value :: code
    end subroutine

    pure function c_strlen(text) bind(C, name="strlen") result(length)
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: text
      integer(c_int64_t) :: length
    end function

    function c_cubed_sphere(connections) bind(C, name="lapwing_cubed_sphere") result(code)
      import :: c_connection, c_int
      type(c_connection), intent(out) :: connections(12)
      integer(c_int) :: code
    end function

    function c_domain_create(comm, grid, blocks, domain) bind(C, name="lapwing_domain_create") result(code)
      import :: c_grid, c_int, c_ptr
      integer(c_int), value :: comm
      type(c_grid), intent(in) :: grid
      type(c_ptr), value :: blocks
      type(c_ptr), intent(out) :: domain
      integer(c_int) :: code
    end function

    function c_domain_create_masked_by(comm, grid, wet, costs, domain) &
        bind(C, name="lapwing_domain_create_masked_by") result(code)
      import :: c_grid, c_int, c_partition_costs, c_ptr
      integer(c_int), value :: comm
      type(c_grid), intent(in) :: grid
      type(c_ptr), value :: wet
      type(c_partition_costs), intent(in) :: costs
      type(c_ptr), intent(out) :: domain
      integer(c_int) :: code
    end function

    function c_domain_set_land(domain, wet, messages) bind(C, name="lapwing_domain_set_land") result(code)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: domain
      type(c_ptr), value :: wet
      character(kind=c_char), intent(in) :: messages(*)
      integer(c_int) :: code
    end function

    function c_domain_create_from_boxes(comm, grid, mine, domain) &
        bind(C, name="lapwing_domain_create_from_boxes") result(code)
      import :: c_box, c_grid, c_int, c_ptr
      integer(c_int), value :: comm
      type(c_grid), intent(in) :: grid
      type(c_box), intent(in) :: mine
      type(c_ptr), intent(out) :: domain
      integer(c_int) :: code
    end function

    function c_domain_create_lines(columns, axis, levels, domain) &
        bind(C, name="lapwing_domain_create_lines") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: columns
      integer(c_int), value :: axis, levels
      type(c_ptr), intent(out) :: domain
      integer(c_int) :: code
    end function

    pure function c_domain_rank(domain) bind(C, name="lapwing_domain_rank") result(rank)
      import :: c_int, c_ptr
      type(c_ptr), value :: domain
      integer(c_int) :: rank
    end function

    pure function c_domain_ranks(domain) bind(C, name="lapwing_domain_ranks") result(ranks)
      import :: c_int, c_ptr
      type(c_ptr), value :: domain
      integer(c_int) :: ranks
    end function

    pure function c_domain_boxes(domain) bind(C, name="lapwing_domain_boxes") result(boxes)
      import :: c_int, c_ptr
      type(c_ptr), value :: domain
      integer(c_int) :: boxes
    end function

    function c_domain_box(domain, number, box) bind(C, name="lapwing_domain_box") result(code)
      import :: c_box, c_int, c_ptr
      type(c_ptr), value :: domain
      integer(c_int), value :: number
      type(c_box), intent(out) :: box
      integer(c_int) :: code
    end function

    function c_domain_reduce(domain, kind, mine, result) bind(C, name="lapwing_domain_reduce") result(code)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: domain
      integer(c_int), value :: kind
      real(c_double), value :: mine
      real(c_double), intent(out) :: result
      integer(c_int) :: code
    end function

    function c_domain_close(domain) bind(C, name="lapwing_domain_close") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: domain
      integer(c_int) :: code
    end function

    subroutine c_domain_free(domain) bind(C, name="lapwing_domain_free")
      import :: c_ptr
      type(c_ptr), value :: domain
    end subroutine

    function c_field_declare(domain, spec, field) bind(C, name="lapwing_field_declare") result(code)
      import :: c_field_spec, c_int, c_ptr
      type(c_ptr), value :: domain
      type(c_field_spec), intent(in) :: spec
      type(c_ptr), intent(out) :: field
      integer(c_int) :: code
    end function

    function c_field_wrap(domain, spec, data, allocated, strides, field) bind(C, name="lapwing_field_wrap") result(code)
      import :: c_box, c_field_spec, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: domain
      type(c_field_spec), intent(in) :: spec
      type(c_ptr), value :: data
      type(c_box), intent(in) :: allocated
      integer(c_int64_t), intent(in) :: strides(4)
      type(c_ptr), intent(out) :: field
      integer(c_int) :: code
    end function

    function c_field_allocate(field) bind(C, name="lapwing_field_allocate") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: field
      integer(c_int) :: code
    end function

    function c_field_block(field, number, block) bind(C, name="lapwing_field_block") result(code)
      import :: c_block, c_int, c_ptr
      type(c_ptr), value :: field
      integer(c_int), value :: number
      type(c_block), intent(out) :: block
      integer(c_int) :: code
    end function

    function c_field_describe(field, units, long_name, standard_name) bind(C, name="lapwing_field_describe") result(code)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: field
      character(kind=c_char), intent(in) :: units(*), long_name(*), standard_name(*)
      integer(c_int) :: code
    end function

    function c_field_modified(field) bind(C, name="lapwing_field_modified") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: field
      integer(c_int) :: code
    end function

    function c_field_gather(field, values, count) bind(C, name="lapwing_field_gather") result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: field, values
      integer(c_int64_t), value :: count
      integer(c_int) :: code
    end function

    function c_field_reduce(field, kind, result) bind(C, name="lapwing_field_reduce") result(code)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: field
      integer(c_int), value :: kind
      real(c_double), intent(out) :: result
      integer(c_int) :: code
    end function

    subroutine c_field_free(field) bind(C, name="lapwing_field_free")
      import :: c_ptr
      type(c_ptr), value :: field
    end subroutine

    function c_exchange_create(domain, fields, count, transport, exchange) &
        bind(C, name="lapwing_exchange_create") result(code)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: domain
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int), value :: count
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(out) :: exchange
      integer(c_int) :: code
    end function

    function c_exchange_create_for_arrays(domain, fields, count, transport, exchange) &
        bind(C, name="lapwing_exchange_create_for_arrays") result(code)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: domain
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int), value :: count
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(out) :: exchange
      integer(c_int) :: code
    end function

    function c_exchange_take(exchange, number, data, allocated, strides) bind(C, name="lapwing_exchange_take") result(code)
      import :: c_box, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: exchange, data
      integer(c_int), value :: number
      type(c_box), intent(in) :: allocated
      integer(c_int64_t), intent(in) :: strides(4)
      integer(c_int) :: code
    end function

    function c_exchange_start(exchange) bind(C, name="lapwing_exchange_start") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int) :: code
    end function

    function c_exchange_test(exchange, complete) bind(C, name="lapwing_exchange_test") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int), intent(out) :: complete
      integer(c_int) :: code
    end function

    function c_exchange_wait(exchange) bind(C, name="lapwing_exchange_wait") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int) :: code
    end function

    function c_exchange_run(exchange) bind(C, name="lapwing_exchange_run") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int) :: code
    end function

    function c_exchange_transport(exchange) bind(C, name="lapwing_exchange_transport") result(text)
      import :: c_ptr
      type(c_ptr), value :: exchange
      type(c_ptr) :: text
    end function

    subroutine c_exchange_free(exchange) bind(C, name="lapwing_exchange_free")
      import :: c_ptr
      type(c_ptr), value :: exchange
    end subroutine

    function c_transpose_create(sources, targets, count, method, groups, transpose) &
        bind(C, name="lapwing_transpose_create") result(code)
      import :: c_char, c_int, c_ptr
      type(c_ptr), intent(in) :: sources(*), targets(*)
      integer(c_int), value :: count, groups
      character(kind=c_char), intent(in) :: method(*)
      type(c_ptr), intent(out) :: transpose
      integer(c_int) :: code
    end function

    function c_transpose_start(transpose) bind(C, name="lapwing_transpose_start") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: transpose
      integer(c_int) :: code
    end function

    function c_transpose_test(transpose, complete) bind(C, name="lapwing_transpose_test") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: transpose
      integer(c_int), intent(out) :: complete
      integer(c_int) :: code
    end function

    function c_transpose_wait(transpose) bind(C, name="lapwing_transpose_wait") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: transpose
      integer(c_int) :: code
    end function

    function c_transpose_run(transpose, work, context) bind(C, name="lapwing_transpose_run") result(code)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: transpose, context
      type(c_funptr), value :: work
      integer(c_int) :: code
    end function

    function c_transpose_method(transpose) bind(C, name="lapwing_transpose_method") result(text)
      import :: c_ptr
      type(c_ptr), value :: transpose
      type(c_ptr) :: text
    end function

    subroutine c_transpose_free(transpose) bind(C, name="lapwing_transpose_free")
      import :: c_ptr
      type(c_ptr), value :: transpose
    end subroutine

    function c_step_create(domain, stages, count, options, step) bind(C, name="lapwing_step_create") result(code)
      import :: c_int, c_ptr, c_stage, c_step_options
      type(c_ptr), value :: domain
      type(c_stage), intent(in) :: stages(*)
      integer(c_int), value :: count
      type(c_step_options), intent(in) :: options
      type(c_ptr), intent(out) :: step
      integer(c_int) :: code
    end function

    function c_step_run(step, steps) bind(C, name="lapwing_step_run") result(code)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: step
      integer(c_int64_t), value :: steps
      integer(c_int) :: code
    end function

    function c_step_run_numbered(step, steps, set_numbers, context) &
        bind(C, name="lapwing_step_run_numbered") result(code)
      import :: c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: step
      integer(c_int64_t), value :: steps
      type(c_funptr), value :: set_numbers
      type(c_ptr), value :: context
      integer(c_int) :: code
    end function

    pure function c_step_position(step) bind(C, name="lapwing_step_position") result(position)
      import :: c_int, c_ptr
      type(c_ptr), value :: step
      integer(c_int) :: position
    end function

    function c_step_restart_at(step, position) bind(C, name="lapwing_step_restart_at") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: step
      integer(c_int), value :: position
      integer(c_int) :: code
    end function

    function c_step_check(step, on) bind(C, name="lapwing_step_check") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: step
      integer(c_int), value :: on
      integer(c_int) :: code
    end function

    function c_step_strategy(step, text) bind(C, name="lapwing_step_strategy") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: step
      type(c_ptr), intent(out) :: text
      integer(c_int) :: code
    end function

    function c_step_describe(step, text) bind(C, name="lapwing_step_describe") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: step
      type(c_ptr), intent(out) :: text
      integer(c_int) :: code
    end function

    function c_step_costs(step, costs) bind(C, name="lapwing_step_costs") result(code)
      import :: c_int, c_ptr, lapwing_costs
      type(c_ptr), value :: step
      type(lapwing_costs), intent(out) :: costs
      integer(c_int) :: code
    end function

    function c_step_observe(step, on) bind(C, name="lapwing_step_observe") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: step
      integer(c_int), value :: on
      integer(c_int) :: code
    end function

    function c_step_census(step, entries, count) bind(C, name="lapwing_step_census") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: step
      type(c_ptr), intent(out) :: entries
      integer(c_int), intent(out) :: count
      integer(c_int) :: code
    end function

    subroutine c_step_free(step) bind(C, name="lapwing_step_free")
      import :: c_ptr
      type(c_ptr), value :: step
    end subroutine
  end interface
end module lapwing_c
