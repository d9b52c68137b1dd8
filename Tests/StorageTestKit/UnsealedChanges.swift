import EventLogModel
import Testing

/// What only the journal or frames have: a deletion, a trim, an import that is not finished, and a log that begins at a later revision.
/// A repair keeps them.
public enum UnsealedChanges {
  private static let (deleted, trimmed, imported, begun) = (
    LogID(high: 6, low: 1), LogID(high: 6, low: 2), LogID(high: 6, low: 3), LogID(high: 6, low: 4)
  )
  private static let epoch = Epoch(6)

  private static func records(_ range: ClosedRange<Int>) -> [Record] {
    var generator = SeededGenerator(seed: UInt64(range.lowerBound))
    return range.map {
      Record(kind: 1, time: Timestamp(milliseconds: Int64($0)), actor: 1, body: generator.bytes(1_000))
    }
  }

  /// Makes them. Returns the first revision of the trimmed log.
  ///
  /// - Parameter seal: seals what is there.
  public static func make(in store: some ImportStore, seal: () async throws -> Void) async throws -> Revision
  {
    for log in [deleted, trimmed] {
      _ = try await store.create(log, epoch: epoch, at: .zero)
      for start in stride(from: 1, to: 300, by: 10) {
        _ = try await store.append(records(start...start + 9), to: log, expecting: nil, epoch: nil)
      }
    }
    try await store.put(
      Snapshot(
        revision: 200, time: .zero, stateHash: [UInt8](repeating: 7, count: 32), root: [1, 2], parts: []),
      for: trimmed)
    try await seal()
    try await store.delete(deleted)
    let low = try await store.trim(trimmed, below: 200)
    #expect(low > 1)
    _ = try await store.beginImport(imported, epoch: epoch, through: 90, at: .zero)
    for part in [1...20, 21...40] {
      _ = try await store.append(records(part), to: imported, expecting: nil, epoch: epoch)
    }
    _ = try await store.beginImport(begun, epoch: epoch, from: 50, through: 60, at: .zero)
    _ = try await store.append(records(50...60), to: begun, expecting: 49, epoch: epoch)
    return low
  }

  /// Whether the store has them.
  ///
  /// - Parameter low: what `make` gave.
  public static func expect(in store: some ImportStore, _ low: Revision) async throws {
    await #expect(throws: LogError.deleted(deleted)) { try await store.info(of: deleted) }
    let found = try await store.info(of: trimmed)
    #expect(found.low == low)
    #expect(found.last == 300)
    let kept = try await store.runs(of: trimmed, after: low.previous, limit: 1 << 20).flatMap(\.unpacked)
    #expect(kept.count == Int(301 - low.rawValue))
    #expect(try await store.imports().map(\.info.last) == [40])
    let late = try await store.info(of: begun)
    #expect(late.low == 50)
    #expect(late.last == 60)
  }
}
