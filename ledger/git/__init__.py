"""Work with git: repositories, objects, trees, commits and history, mostly by its executable."""
