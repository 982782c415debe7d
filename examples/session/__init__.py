"""The parts of the example session: a story, and what tools answer in it."""
