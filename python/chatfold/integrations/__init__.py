"""Compaction where chat histories are sent: one module for each client or framework.

Each adapts the objects of one package, which the extra of the same name installs.
"""
