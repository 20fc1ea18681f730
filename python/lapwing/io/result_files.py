"""Names of the files that a run leaves besides its pictures."""

OUTPUT, POINTS, RESTART, CASE = "output.nc", "points.nc", "restart.lapwing", "case.toml"
PROFILE = "profile.json"
