"""The same work with other packages; each of them is optional."""
