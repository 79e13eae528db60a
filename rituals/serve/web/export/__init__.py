"""Write all pages as files that a browser reads without a server: from a disk, or below any address.

`site` plans and writes; `site_links` says which file an address is, `site_folder` puts them in place;
`site_data` is what the pages of search and of the past ask instead of a server.
"""
