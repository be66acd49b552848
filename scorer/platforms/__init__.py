"""Where shared tasks are run: what a platform calls, and what it expects to find."""
