"""Score a response against a key: the function, the accumulator and the command."""
