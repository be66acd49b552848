"""The inputs of users: clusters in memory, files, folders and archives of systems."""
