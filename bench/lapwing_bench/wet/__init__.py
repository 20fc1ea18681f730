"""What messages without land save."""
