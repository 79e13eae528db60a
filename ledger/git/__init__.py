"""Work with git: repositories, objects, trees, commits and history, by the executable and by pygit2."""
