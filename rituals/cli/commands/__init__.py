"""Run the commands: a function each, beside what prints its answer; loaded when it runs."""
