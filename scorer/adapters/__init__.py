"""What other packages hold, as clusters that `scorer.score` takes, a file for each.

None needs its package to be imported.
"""
