"""Vectorized batch simulator of 打滚子 (da gunzi)."""
