"""Other modules of the project: where they are, what they lend, and the folder that keeps it between runs."""
