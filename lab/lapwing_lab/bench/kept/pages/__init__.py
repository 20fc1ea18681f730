"""The page of partitions, whose tables are still made by code of their own."""

from lapwing_lab.bench.kept.page import Page
from lapwing_lab.bench.kept.pages import partitions

PAGES: dict[str, Page] = {partitions.PAGE.name: partitions.PAGE}
