"""Tests of summarization, and what they share."""
