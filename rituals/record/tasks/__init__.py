"""Record what becomes of tasks: added, claimed, moved, handed over; each is one log."""
