"""Run the real programs of agents, offline, against a model that plays a script."""
