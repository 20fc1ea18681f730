"""The steps of a sea by its cuts, and messages without its land."""
