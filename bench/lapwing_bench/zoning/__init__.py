"""What cutting loops into zones costs."""
