"""Tests with Microsoft's agent framework: its real agents and sessions, and a model by script."""
