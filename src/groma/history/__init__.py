"""Runs of one plan over time: a store of their figures, the series they make, and where these change.

`store` keeps the figures, `reading` adds what is new in folders of runs, `timelines` makes series of them and finds
their changes; `formats` and `page` show these, and `stretch` makes a baseline of the runs since the last change.
docs/adr/0028 says what is one series and why the store is where it is.
"""
