"""Write hits: facts as they stand, and passages as their logs have them."""
