"""Do public calls without a look at their arguments, where calls of the like were seen before."""
