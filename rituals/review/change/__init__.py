"""Say what memory has on a change of the code, before it is merged."""
