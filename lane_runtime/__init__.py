"""The state lane: a serial, FIFO, non-reentrant executor of turns that own a component's mutable state."""
