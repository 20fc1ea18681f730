"""What a field shall be, and what is said of it: requests, names, coordinates."""
