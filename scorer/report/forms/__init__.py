"""The forms of reports, one a file, found by looking; see `scorer.report`."""
