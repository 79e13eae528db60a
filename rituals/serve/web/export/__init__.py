"""Write all pages as files that a browser reads without a server."""
