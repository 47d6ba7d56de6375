"""What do two workers make of what one makes, what is lost with processes that are killed, and what does a plan of very
many nodes take until its first node runs?

Four nodes for each date and tile: NDVI, clouds left out, a threshold, an area. The files of all scenes are links to
those of one: headers are read once, and are not measured.
"""
