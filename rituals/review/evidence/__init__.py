"""Find what facts name that the code repository no longer has."""
