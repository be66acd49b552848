"""Reports of results: columns, tables, output formats, plots, HTML pages."""
