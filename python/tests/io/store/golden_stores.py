"""Stores of all kinds, whose bytes are kept in golden_stores.json. Run with a folder."""

import sys
from pathlib import Path
from typing import Any

import lapwing
import numpy as np
from store_case import store_case

SIZE, PERIODIC = (13, 9), (True, False)
FIELDS: dict[str, dict[str, Any]] = {
    "level": {"units": "m", "long_name": "height of the sea"},
    "speed": {"units": "m s-1", "location": "xface", "levels": 3, "dtype": "float32"},
    "turn": {"units": "s-1", "location": "corner"},
    "count": {"dtype": "int32", "levels": 2},
    "number": {"dtype": "int64", "location": "yface"},
    "ice": {"dtype": "bool"},
    "depth": {"units": "m", "standard_name": "sea_floor_depth_below_geoid"},
}


def on_a_map(folder: Path) -> None:
    """Records on a map with land and a restart, of fields of every type and location."""
    wet = np.ones(SIZE, dtype=bool)
    wet[3:6, 4:] = False
    x, y = np.linspace(-8.0, 4.0, 13), np.linspace(50.0, 52.0, 9)
    axes = (
        lapwing.Axis(x, "degrees_east", "longitude", "longitude"),
        lapwing.Axis(y, "degrees_north", "latitude", "latitude"),
    )
    with lapwing.Domain(SIZE, periodic=PERIODIC, axes=axes) as domain:
        fields = {name: domain.field(name, **about) for name, about in FIELDS.items()}
        all_of_them = list(fields.values())
        *changing, depth = all_of_them

        def fill(record: int) -> None:
            for name, field in fields.items():
                first = 1_000_000 * record
                if name == "ice":
                    field.set(lambda i, j: (i + j + record) % 3 == 0)
                else:
                    field.set(lambda i, j, k=0, a=first: a + 10_000 * k + 100 * j + i)

        for name, more in (
            ("map", {"fixed": [depth], "title": "a \u00e9tude", "wet": wet}),
            ("single", {"precision": "single", "start": "1999-12-31 12:00:00"}),
        ):
            written = changing if name == "map" else all_of_them
            with lapwing.Records(domain, folder / f"{name}.zarr", written, **more) as records:
                for record in range(2):
                    fill(record)
                    records.write(60.0 * record, 10 * record)
        lapwing.Restart(domain, folder / "state.zarr", all_of_them).write(10)


def of_a_case(folder: Path) -> None:
    """Records and restarts of a case with settings, in small chunks."""
    case = store_case()
    store = case.records(folder / "case.zarr")
    for record in range(2):
        case.append(store, record)
    case.restart(folder / "restart.zarr").write(7)
    store.close()
    case.domain.close()


on_a_map(Path(sys.argv[1]))
of_a_case(Path(sys.argv[1]))
