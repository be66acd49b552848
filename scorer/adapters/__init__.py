"""Turn the results of other packages into clusters that `scorer.score` takes.

Each module is for one package, and can be imported without it.
"""
