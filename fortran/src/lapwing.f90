!> lapwing for Fortran: domains, fields, exchanges, transposes, solvers, steps of stages, records and
!> restarts, in one module.
module lapwing
  use lapwing_domains, only: lapwing_box, lapwing_domain, lapwing_run
  use lapwing_exchanges, only: lapwing_exchange
  use lapwing_extents, only: ahead, around, behind, cross, lapwing_extent
  use lapwing_faces, only: lapwing_cubed_sphere, lapwing_face_set
  use lapwing_fields, only: lapwing_bool, lapwing_field, lapwing_int32, lapwing_logical, lapwing_real32, lapwing_real64
  use lapwing_lines, only: lapwing_line_solver, lapwing_line_transform, lapwing_line_values, lapwing_tridiagonal
  use lapwing_solvers, only: lapwing_helmholtz, lapwing_implicit_diffusion
  use lapwing_port_checks, only: lapwing_port
  use lapwing_reductions, only: lapwing_reduction
  use lapwing_stages, only: lapwing_stage, stage, stage_of_3d, stage_of_views
  use lapwing_steps, only: lapwing_census_entry, lapwing_costs, lapwing_step
  use lapwing_stores, only: lapwing_records, lapwing_restart
  use lapwing_transposes, only: lapwing_transpose
  use lapwing_uses, only: as_wide_as, lapwing_use, reads, scatters, updates, writes
  use lapwing_kernels, only: lapwing_views
  implicit none
  public
end module lapwing
