"""Which stage caused which exchange, how often, and what it cost."""
