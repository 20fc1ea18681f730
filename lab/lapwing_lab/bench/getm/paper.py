"""Measurements of the GETM report, Tables 5-1, 5-2 and 7-2 to 7-4: seconds by row and subdomain.

B. Büchmann, J. Baasch-Larsen: Latency hiding in GETM. Danish Maritime Safety Administration, Report
2011-02, 2011. Gigabit Ethernet; as many subdomains as make 240 x 240 cells.
"""

from __future__ import annotations

SIZES = ("60x60", "60x40", "40x40", "40x30", "40x24")
FLAT_STEPS = 43_200  # of Table 5-1: 10 days of 20 s
STEPS = 864  # macro steps of the others: 2 days of 200 s

Rows = dict[str, tuple[float, ...]]

TABLE_5_1: Rows = {
    "Total runtime": (107.10, 83.96, 72.81, 64.31, 59.58),
    "Halo runtime": (32.50, 33.78, 37.07, 36.28, 36.01),
    "update_2d_halo": (8.07, 7.83, 8.43, 8.83, 9.00),
    "wait_halo": (24.43, 25.95, 28.64, 27.45, 27.01),
    "Non-halo runtime": (74.60, 50.19, 35.73, 28.03, 23.57),
    "Momentum - total": (40.97, 35.65, 33.86, 31.23, 29.86),
    "Momentum - halo": (23.71, 23.90, 25.63, 24.77, 24.46),
    "Sealevel": (10.50, 10.93, 11.94, 11.78, 11.70),
    "Sealevel - halo": (9.07, 10.14, 11.38, 11.34, 11.33),
}

TABLE_5_2: Rows = {
    "Total runtime": (789.78, 530.16, 370.29, 281.54, 236.46),
    "Halo runtime": (105.49, 98.39, 91.17, 78.32, 73.01),
    "Non-halo runtime": (684.29, 431.77, 279.12, 203.21, 163.45),
    "update_*d_halo": (20.07, 17.11, 14.73, 13.15, 12.17),
    "wait_halo": (85.42, 81.29, 76.44, 65.18, 60.84),
    "do_temperature - total": (156.67, 104.61, 72.25, 55.52, 44.90),
    "do_temperature - halo": (3.19, 3.38, 3.13, 2.66, 2.51),
}

# u_split_adv by strategy: without hiding, zones in both parts, zones in part B alone.
U_SPLIT_ADV: dict[str, tuple[str, Rows]] = {
    "blocking": (
        "7-2",
        {
            "total": (100.25, 67.12, 46.83, 35.71, 29.21),
            "update-halo": (4.22, 3.73, 3.03, 2.53, 2.25),
            "wait-halo": (14.16, 14.03, 12.73, 10.61, 9.98),
            '"red" zones': (81.85, 49.35, 31.06, 22.55, 16.98),
            '"green" zones': (0.0, 0.0, 0.0, 0.0, 0.0),
            "Part A": (41.09, 28.22, 19.19, 14.33, 11.65),
            "Part B": (40.73, 21.10, 11.85, 8.20, 5.31),
        },
    ),
    "edge-first": (
        "7-3",
        {
            "total": (109.55, 70.66, 50.90, 37.15, 28.46),
            "update-halo": (3.49, 3.14, 2.61, 2.22, 2.01),
            "wait-halo": (5.31, 5.17, 4.62, 4.38, 4.30),
            '"red" zones': (30.54, 20.91, 18.11, 13.02, 9.87),
            '"green" zones': (70.19, 41.42, 25.53, 17.52, 12.26),
            "Part A": (55.29, 38.12, 28.21, 20.19, 15.55),
            "Part B": (45.40, 24.17, 15.39, 10.31, 6.56),
        },
    ),
    "edge-first:B": (
        "7-4",
        {
            "total": (100.35, 65.57, 46.14, 34.76, 27.97),
            "update-halo": (4.25, 3.68, 2.81, 2.34, 2.09),
            "wait-halo": (7.27, 7.52, 7.58, 6.90, 6.97),
            '"red" zones': (52.65, 35.57, 25.11, 18.52, 14.56),
            '"green" zones': (36.16, 18.78, 10.63, 6.99, 4.34),
            "Part A": (41.48, 28.40, 19.45, 14.56, 11.72),
            "Part B": (47.29, 25.91, 16.26, 10.92, 7.16),
        },
    ),
}
