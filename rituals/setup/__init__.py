"""Set-up of a home: plan first, then apply."""
