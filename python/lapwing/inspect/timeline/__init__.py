"""What each rank does when, under each strategy."""
