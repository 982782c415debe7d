"""Tests of the context window."""
