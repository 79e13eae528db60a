"""What is done now and then: setting up, adopting, verifying, the tour; and the command line."""
