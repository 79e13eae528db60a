"""Show a memory as web pages: look, see why, decide; served on this machine, or written as a site.

`start` is the way in. A request becomes one of `pages`: a function of what is kept of a tip
(`tip_view`) to a `Page`, values without markup; `html` writes it, with `pictures`. `server` alone
knows of requests, `export` of files, `actions` of what forms record. Nothing but `diurna web`
imports this package.
"""
