"""Every strategy and transport against one rank, bit by bit."""
