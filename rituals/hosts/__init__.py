"""Answer the programs that run agents, and install into them what calls Diurna."""
