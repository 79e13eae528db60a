"""Look at the pages of `diurna web` in a real browser, served and as a site."""
