!> All tests of the Fortran module, on any number of ranks.
module all_tests
  use checks, only: checked, failures
  use test_cycles, only: test_bad_positions, test_demand, test_rotating_levels
  use test_errors, only: test_bad_arrays, test_bad_domains, test_bad_steps, test_bad_bounds, test_moved_arrays
  use test_fields
  use test_land, only: test_costs_of_boxes, test_steps_without_land
  use test_port, only: test_port_calls, test_port_errors, test_port_report
  use test_reports, only: test_census, test_reductions
  use test_solvers, only: test_bad_lines, test_bad_solvers, test_contiguous_columns, test_helmholtz, &
                          test_implicit_diffusion, test_own_lines
  use test_stages, only: test_bad_parts, test_parts_of_several_models, test_steps_in_parts
  use test_steps, only: test_check_finds_what_is_not_declared, test_numbers, test_numbers_of_steps, test_one_long_axis, &
                        test_region_and_work, test_strategies, test_threads, kernel_of_three_axes => test_three_axes
  use test_stores, only: test_bad_stores, test_records_and_restart
  use test_transposes, only: test_bad_transposes, test_blocks, test_groups, test_lines_and_back
  use test_views, only: test_arrays_of_kernels, test_bad_views, test_loops_of_known_length, test_rims, test_scatters, &
                        test_several_boxes, test_two_models, test_types_of_views
  implicit none
contains
  subroutine run_all(comm)
    integer, intent(in) :: comm

    call test_arrays_in_global_indices(comm)
    call test_north_fold(comm)
    call test_faces(comm)
    call test_masks_and_frame(comm)
    call test_arrays_in_local_indices(comm)
    call test_levels_first(comm)
    call test_components(comm)
    call test_start_and_wait(comm)
    call test_arrays_that_come_and_go(comm)
    call test_masked_domain(comm)
    call test_own_decomposition(comm)
    call test_three_axes(comm)
    call test_strategies(comm)
    call test_one_long_axis(comm)
    call test_threads(comm)
    call test_numbers_of_steps(comm)
    call test_steps_without_land(comm)
    call test_costs_of_boxes(comm)
    call test_steps_in_parts(comm)
    call test_parts_of_several_models(comm)
    call test_bad_parts(comm)
    call test_numbers(comm)
    call test_region_and_work(comm)
    call kernel_of_three_axes(comm)
    call test_check_finds_what_is_not_declared(comm)
    call test_arrays_of_kernels(comm)
    call test_two_models(comm)
    call test_several_boxes(comm)
    call test_types_of_views(comm)
    call test_bad_views(comm)
    call test_loops_of_known_length(comm)
    call test_rims(comm)
    call test_scatters(comm)
    call test_bad_domains(comm)
    call test_bad_arrays(comm)
    call test_bad_steps(comm)
    call test_bad_bounds(comm)
    call test_moved_arrays(comm)
    call test_rotating_levels(comm)
    call test_bad_positions(comm)
    call test_demand(comm)
    call test_lines_and_back(comm)
    call test_blocks(comm)
    call test_groups(comm)
    call test_bad_transposes(comm)
    call test_helmholtz(comm)
    call test_implicit_diffusion(comm)
    call test_own_lines(comm)
    call test_contiguous_columns(comm)
    call test_bad_solvers(comm)
    call test_bad_lines()
    call test_records_and_restart(comm)
    call test_bad_stores(comm)
    call test_reductions(comm)
    call test_census(comm)
    call test_port_report(comm)
    call test_port_calls(comm)
    call test_port_errors(comm)
    print '(i0, a, i0, a)', checked, ' checks, ', failures, ' failed'
    if (failures > 0 .or. checked < 40) error stop 'not all is as it should be'
  end subroutine
end module all_tests

program main
  use all_tests, only: run_all
  use lapwing, only: lapwing_run
  implicit none

  call lapwing_run(run_all)
end program
