"""Why a score is what it is: kinds of errors and their costs, links, strata, entities, bounds, and what another response does."""
