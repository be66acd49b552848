"""Score submissions on Codabench and CodaLab."""
