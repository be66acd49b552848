"""Documents to read in a browser: the text with the mentions of key and response, and their errors."""
