"""How facts live: transitions, statistics, pace, when a review is due, promotion."""
