"""From the clusters of a key and a response to what the metrics count: what is left out, what stands for what, what repeats."""
