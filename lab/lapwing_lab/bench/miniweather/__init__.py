"""miniWeather's equations on lapwing and with MPI by hand."""
