import lapwing._core

def time_exchange(
    domain: lapwing._core.Domain,
    nx: int,
    ny: int,
    levels: int,
    fields: int,
    width: int,
    samples: int,
    repeats: int,
) -> dict[str, list[float]]:
    """Seconds per exchange by method, raw samples. Collective."""
