#!/usr/bin/env bash
# zarr 3.1.6 with numcodecs 0.16.6 and zfpy 1.0.1.post0 (PyPI; zfpy is zfp's own Python package).
#
# Guess:     to install zfpy adds a codec (numcodecs.zfpy) to zarr; at worst that codec does not work.
# Behaviour: `import zarr` fails: numcodecs compares zfpy's version with 1.0.0 at import, and takes "post0" for a number. Code
#            that never asks for zfp fails as well, and so does whatever imports zarr. numcodecs[zfpy] asks for zfpy >= 1.0.0,
#            which 1.0.1.post0 fulfils.
# Seen:      without zfpy: zarr 3.1.6
#            with zfpy:    ValueError: invalid literal for int() with base 10: 'post0'
# Why it matters: one package for lossy output takes all Zarr stores away from a model's environment, and the message names
#            neither. On a cluster it appears when a job's image is built again. Pin zfpy to a release without a suffix.
# Source:    numcodecs/zfpy.py of 0.16.6: tuple(map(int, version("zfpy").split("."))); PEP 440, post-releases.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install --only-binary :all: zarr==3.1.6 numcodecs==0.16.6 numpy==2.4.6
cd "$folder"
outcome() {
    env/bin/python -c 'import zarr; print("zarr", zarr.__version__)' 2>&1 | tail -n 1 || true
}
without=$(outcome)
env/bin/pip -q install --only-binary :all: zfpy==1.0.1.post0 numpy==2.4.6
with=$(outcome)
echo "without zfpy: $without"
echo "with zfpy:    $with"
[ "$without" = "zarr 3.1.6" ] || { echo "zarr alone fails"; exit 1; }
[ "$with" = "ValueError: invalid literal for int() with base 10: 'post0'" ] || { echo "this has changed"; exit 1; }
