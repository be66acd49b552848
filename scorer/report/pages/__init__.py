"""Pages of HTML, complete in themselves: the shell that all share, and plots."""
