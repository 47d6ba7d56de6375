"""Methods without learned weights: clusters, segments, change, and objects found by their form."""
