// Seeded chance belongs to the memory's target, so that what is shipped and what is only tested draw from one.
@_exported import MemoryLog
