"""What formats of columns share, one token a line: the brackets of the last column, and where documents begin and end."""
