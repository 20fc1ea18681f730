"""What a rank does, found in a window of the grid: the same as in the whole."""

import numpy as np
from lapwing.core.partition import CostModel
from lapwing_coast.simulation import works
from lapwing_lab.bench.partition.cuts import metis_blocks, sea_of, searched, without_land
from lapwing_lab.bench.partition.windows import laid_out
from lapwing_lab.predict.outlines import outline_of_rank

RANKS = 9


def test_a_window_shows_all_that_a_rank_does() -> None:
    wet = np.ones((90, 70), dtype=np.bool_)
    wet[30:50, :40] = False
    sea = sea_of(wet, CostModel())
    cuts = [*searched(sea, RANKS), metis_blocks(sea, RANKS, "cut", seed=0)]
    on_domain = works["coast"].on_domain
    assert on_domain is not None
    make = on_domain(sea.grid)
    for cut in (*cuts, *(without_land(one, sea) for one in cuts)):
        for rank, found in enumerate(laid_out(cut.partition, "blocking", 1).outlines):
            whole = outline_of_rank(cut.partition, make, "blocking", rank, 1)
            for what in ("peers", "messages", "bytes", "exchanges", "sent_to", "steps"):
                assert getattr(found, what) == getattr(whole, what)
