"""The page of partitions: what cuts cost, steps on them, and messages without land."""

from lapwing_lab.bench.kept.page import Page
from lapwing_lab.bench.kept.pages.partitions import costs, steps, wet

PAGE = Page(
    "partitions",
    (*costs.MEASUREMENTS, *steps.MEASUREMENTS, *wet.MEASUREMENTS),
    {**costs.BLOCKS, **steps.BLOCKS, **wet.BLOCKS},
)
