"""Follow how facts live: transitions, statistics, promotion, and when a review is due."""
