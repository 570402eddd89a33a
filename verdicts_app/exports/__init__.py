"""Ways out: results and boards as files and as JSON."""
