"""What the column formats (one token a line) share: the brackets of the last column, and where documents begin and end."""
