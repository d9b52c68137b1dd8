// A program that imports `EventLog` also gets `MemoryLogStore`, for demonstrations and for logs that need not
// last.
@_exported import MemoryLog
