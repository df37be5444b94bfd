"""What code does, as frozen data: paths, instructions and graphs. What is true of it is the business of `flow`."""
