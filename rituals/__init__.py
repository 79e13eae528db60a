"""What is done now and then: adopt, review, sync, hooks; and the command line."""
