"""Make northsea.png: `lapwing run northsea --ranks 6 --out OUT`, then this script with OUT."""

import sys
from pathlib import Path

from PIL import Image

HEIGHT = 620  # pixels

parts = [Image.open(Path(sys.argv[1]) / f"{name}.png") for name in ("partition", "sea_level")]
parts = [part.resize((part.width * HEIGHT // part.height, HEIGHT)).convert("RGB") for part in parts]
sheet = Image.new("RGB", (sum(part.width for part in parts), HEIGHT), "white")
left = 0
for part in parts:
    sheet.paste(part, (left, 0))
    left += part.width
sheet.save(Path(__file__).with_name("northsea.png"), optimize=True)
