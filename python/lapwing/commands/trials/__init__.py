"""What `lapwing verify` runs in each way, a case, a model or a program, and what it finds."""
