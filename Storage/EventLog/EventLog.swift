// Whoever keeps logs on disk has the store in memory too: for demonstrations, and for what need not last.
@_exported import MemoryLog
