import EventLogModel

/// What a store was asked to keep, and what of it was acknowledged: what must be there afterwards, and what may be.
package struct StoreTruth: Sendable {
  enum Fact: Sendable {
    case no
    /// Asked for, and not acknowledged: it may have happened.
    case perhaps
    case yes
  }

  struct Log: Sendable {
    var isCreated = Fact.perhaps
    var isDeleted = Fact.no
    /// The last revision that was ever asked for, and the last that was acknowledged.
    var offered: UInt64 = 0
    var acknowledged: UInt64 = 0
    /// What was asked for as the first revision kept, and what was acknowledged.
    var lowOffered: UInt64 = 1
    var low: UInt64 = 1
    var snapshots: [UInt64: Fact] = [:]
  }

  var logs: [UInt64: Log] = [:]

  /// The numbers of the logs that are certainly there.
  var numbers: [UInt64] {
    logs.filter { $0.value.isCreated == .yes && $0.value.isDeleted == .no }.map(\.key).sorted()
  }

  package var isEmpty: Bool { numbers.isEmpty }

  static func name(_ number: UInt64) -> LogID { LogID(high: 9, low: number) }
  static func epoch(_ number: UInt64) -> Epoch { Epoch(0x5000_0000_0000_0000 | number) }

  /// Of the records with numbers below.
  static let shapes: [UInt8: BodyShape] = [
    1: BodyShape([.count(0), .many(1, signed: false, lead: 1, mask: 0)])
  ]

  /// What stands at a revision: of any size up to some hundred bytes, every third one such that LZ4 can shrink it, every fifth
  /// one of small numbers.
  static func record(_ number: UInt64, _ revision: UInt64) -> Record {
    var generator = SeededGenerator(seed: number << 40 | revision)
    let length = Int.random(in: 1...(revision % 7 == 0 ? 1_500 : 300), using: &generator)
    var body =
      revision % 3 == 0
      ? [UInt8](repeating: UInt8(truncatingIfNeeded: revision), count: length) : generator.bytes(length)
    if revision % 5 == 1 {
      let numbers = body.map { $0 % 4 }
      body = []
      body.appendVarint(UInt64(numbers.count))
      body += numbers
    }
    return Record(
      kind: UInt8(revision % 5), time: Timestamp(milliseconds: 1_600_000_000_000 + Int64(revision) * 7),
      actor: revision % 3, body: body)
  }

  static func snapshot(_ number: UInt64, _ revision: UInt64) -> Snapshot {
    var generator = SeededGenerator(seed: ~(number << 40 | revision))
    let parts = (0..<revision % 3).map { part -> SnapshotPart in
      // The same parts again in later snapshots.
      var of = SeededGenerator(seed: number << 8 | (revision / 20 + part))
      return SnapshotPart(key: of.bytes(16), bytes: of.bytes(200))
    }
    return Snapshot(
      revision: Revision(revision), time: record(number, revision).time, stateHash: generator.bytes(32),
      root: generator.bytes(Int.random(in: 1...900, using: &generator)), parts: parts)
  }
}
