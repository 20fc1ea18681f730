"""Descriptions of fields: requests, names, coordinates."""
