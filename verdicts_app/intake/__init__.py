"""Ways in: what people upload, read strictly and stored once."""
