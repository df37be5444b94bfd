"""Prove a finding: write the harness, run it in a process of its own, say what came out."""
