!> lapwing for Fortran: domains, fields, exchanges, transposes, solvers, and steps of stages, in one module.
module lapwing
  use lapwing_domains, only: lapwing_domain, lapwing_run
  use lapwing_exchanges, only: lapwing_exchange
  use lapwing_extents, only: ahead, around, behind, cross, lapwing_extent
  use lapwing_fields, only: lapwing_field, lapwing_int32, lapwing_real32, lapwing_real64
  use lapwing_lines, only: lapwing_line_solver, lapwing_line_transform, lapwing_line_values, lapwing_tridiagonal
  use lapwing_solvers, only: lapwing_helmholtz, lapwing_implicit_diffusion
  use lapwing_steps, only: as_wide_as, lapwing_census_entry, lapwing_costs, lapwing_number, lapwing_step, lapwing_use, &
                           reads, updates, writes
  use lapwing_transposes, only: lapwing_transpose
  implicit none
  public
end module lapwing
