"""What pages, API and exports show: one board a file, query in, frozen dataclass out."""
