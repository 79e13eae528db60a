"""Write pages as HTML: templates, markdown in which nothing can hide, style and script."""
