"""Spans with labels: which of key and response correspond, and what is counted of them, strictly and leniently."""
