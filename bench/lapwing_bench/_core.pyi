import lapwing._core

def pack_works() -> list[str]:
    """Names of the works of `time_pack`. Local."""

def time_pack(work: str, samples: int) -> dict[str, list[float]]:
    """
    Seconds per call of pack, unpack and memcpy, raw samples, and the bytes of a call. Local.
    """

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
