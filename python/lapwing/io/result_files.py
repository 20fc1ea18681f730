"""Names of the files that a run leaves besides its pictures."""

OUTPUT, POINTS, RESTART, CASE = "output.nc", "points.nc", "restart.lapwing", "case.toml"
PROFILE = "profile.json"
OUTPUT_STORE, RESTART_STORE = "output.zarr", "restart.zarr"


def output_name(form: str) -> str:
    """The name of the records of whole maps, by output.format of the case. Local."""
    return OUTPUT_STORE if form == "zarr" else OUTPUT


def restart_name(form: str) -> str:
    """The name of the restart, by output.format of the case. Local."""
    return RESTART_STORE if form == "zarr" else RESTART
