"""Compare the evaluations of systems: resampled figures, intervals and differences."""
