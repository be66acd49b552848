"""From the clusters of a key and a response to what the metrics count: filtering, matching, repeated mentions."""
