"""How much one run teaches the next: a stream of tasks with recurring faults that no authored rule covers."""
