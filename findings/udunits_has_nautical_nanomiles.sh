#!/usr/bin/env bash
# cf-units 3.3.1 (PyPI, with UDUNITS-2 inside) and cf_xarray 0.11.3 (units registry on Pint 0.25.3): one CF units string.
#
# Guess:     "nmi" is a nautical mile, 1852 m, for both; a string that UDUNITS does not know is refused.
# Behaviour: UDUNITS has no nmi and takes it for a nano-mile, 1.6 micrometres. cf_xarray's registry, made for CF, has
#            1852 m. Likewise ppt is 1e-12 in UDUNITS (parts per trillion, not per thousand), and a picopint in cf_xarray's.
# Seen:      nmi: cf-units 1.60934e-06, cf_xarray 1852 [m]
#            ppt: cf-units 1e-12, cf_xarray picopint [1]
#            nautical_mile: cf-units 1852, cf_xarray 1852 [m]
# Why it matters: grids of 1 or 2 nautical miles are usual in the Baltic, and older salinities are in parts per thousand. A
#            checker that asks UDUNITS finds a valid length and a valid fraction; converted, they are a billion times too
#            small. Write nautical_mile and 1e-3.
# Source:    CF conventions, section 3.1: units are what UDUNITS recognizes; the SI Brochure (8th edition, table 8) has nmi
#            among the symbols of the nautical mile; UDUNITS' udunits2-accepted.xml and -common.xml name it nautical_mile
#            and nmile, and n in udunits2-prefixes.xml fits every unit.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install cf-units==3.3.1 cf_xarray==0.11.3 xarray==2026.9.0 pint==0.25.3 numpy==2.4.6
cd "$folder"
env/bin/python -W ignore::UserWarning - <<'PYTHON'
import sys

import cf_units
import pint
from cf_xarray.units import units as registry

seen = {}
for name, base in (("nmi", "m"), ("ppt", "1"), ("nautical_mile", "m")):
    by_udunits = cf_units.Unit(name).convert(1.0, cf_units.Unit(base))
    try:
        by_pint = registry.Quantity(1.0, name).to(registry.parse_units(base)).magnitude
    except pint.DimensionalityError as problem:
        by_pint = str(problem.units1)
    seen[name] = (f"{by_udunits:.6g}", by_pint if isinstance(by_pint, str) else f"{by_pint:.6g}")
    print(f"{name}: cf-units {seen[name][0]}, cf_xarray {seen[name][1]} [{base}]")
expected = {"nmi": ("1.60934e-06", "1852"), "ppt": ("1e-12", "picopint"), "nautical_mile": ("1852", "1852")}
sys.exit(0 if seen == expected else "this has changed")
PYTHON
