"""Naive twins, in Python integers and lists, of what has no referee."""
