"""Why a score is what it is: kinds of errors and what they cost, links, strata, entities, bounds, and what another response does."""
