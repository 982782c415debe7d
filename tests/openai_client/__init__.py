"""The real openai clients with compaction in front, against a server on the loopback."""
