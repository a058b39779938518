"""Do public calls by the plans of their inline caches."""
