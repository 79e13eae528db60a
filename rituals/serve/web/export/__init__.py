"""Write all pages as files that a browser reads without a server: from a disk, or below any address.

`site` plans and writes; `links` says which file an address is, `place` puts the files where they belong,
`search_data` is what the page of search asks instead of a server.
"""
