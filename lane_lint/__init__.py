"""A checker for snapshots of shared state that have gone stale by the time they are acted on."""
