"""What users hand in: clusters in memory, files, folders and archives of systems."""
