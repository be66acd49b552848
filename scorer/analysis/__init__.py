"""Error analysis: kinds of errors and their costs, links, strata, entities, and the viewer."""
