"""Processes, limits, records of results, manifests and Dask."""
