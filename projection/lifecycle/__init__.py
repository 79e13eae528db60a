"""Follow how facts live: transitions, statistics, pace, promotion, and when a review is due."""
