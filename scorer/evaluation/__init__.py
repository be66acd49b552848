"""What was counted: the record of each document, totals, groups, and the rows that reports show of them."""
