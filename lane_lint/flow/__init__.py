"""What is true of a function: which reads are stale where, what is held, what a call does."""
