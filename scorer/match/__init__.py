"""Match the mentions of key and response: filters, similarity, repeated mentions."""
