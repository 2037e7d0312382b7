"""打滚子 (da gunzi): rules, records, referee and kernels of the game."""
