"""One run of a case from request to pictures. Knows no particular model."""
