import EventLogModel

/// The sealed half of a store, as the sealer's thread uses it: `SealedStore` on SQLite, the tables of another
/// database, or in tests a model on a simulated disk.
package protocol SealedBackend: AnyObject {
  /// Takes changes in the journal's order; `oldest` is the first place of the journal still needed after
  /// them.
  func apply(_ changes: [SealedChange], oldest: JournalPlace) throws(LogError)
  func put(_ snapshot: Snapshot, number: UInt64) throws(LogError)
  /// Removes a portion of what was trimmed or deleted. Returns whether more is left.
  func tidy() throws(LogError) -> Bool
  /// Notes that the journal's segments hold nothing any more of what was removed.
  func noteCleared() throws(LogError)
  /// Settles: brings everything to where it stays, durably, so that nothing of it needs the journal. False
  /// while a reader's view prevents it for a part: try again later.
  func finishChanges() throws(LogError) -> Bool
  /// Notes that the folder has a manifest.
  func noteManifest() throws(LogError)
  func close()
}

/// What one erasure does to a log.
package struct SealedErasure: Sendable {
  package var number: UInt64
  /// The log's new epoch, so that readers read the log again.
  package var epoch: Epoch
  /// The one snapshot that stays. The others hold erased content and are made again from the log.
  package var base: Revision?
  /// Returns the records that replace those of a block; `nil` if the block stays as it is.
  package var replacing: @Sendable (Run) throws(LogError) -> Run?
}

/// A sealed half whose blocks can be written again with less content.
package protocol ErasingBackend: SealedBackend {
  /// Replaces the records of up to `blocks` blocks before `revision`, from the last to the first. Returns where to go on;
  /// `nil` when all is done. `nil` for `revision` begins the erasure.
  ///
  /// Because of this order an erasure that was cut short can be done again: what is left of a record is
  /// decided by earlier records, and these are unchanged.
  func erase(
    _ erasure: SealedErasure, before revision: Revision?, blocks: Int
  ) throws(LogError) -> Revision?
}

/// One whose blocks can be packed as well.
protocol PackingBackend: ErasingBackend {
  /// Packs some blocks of idle logs.
  func pack(_ packing: SealedStore.Packing, blocks: Int) throws(LogError) -> SealedStore.Packed
}

/// The sealed half in a folder, with what opening and recovery of the folder need. Used by the thread that
/// opens the store, and afterwards by the sealer's thread only.
protocol FolderBackend: PackingBackend {
  var storeID: [UInt8] { get }
  func logs() throws(LogError) -> [LogRow]
  /// The last revisions of the imports that are not finished, by log number.
  func imports() throws(LogError) -> [UInt64: Revision]
  func oldestSegment() throws(LogError) -> UInt64
  /// The first journal frame that holds something not sealed: all before it are in the sealed half, or were
  /// of logs that are deleted. 0 if that is not known.
  func oldestFrame() throws(LogError) -> UInt64
  /// Bytes of each of the journal's segments; `nil` if that is not known.
  func segmentBytes() throws(LogError) -> Int?
  /// The journal begins anew with a segment, and all of its segments have one size from there on.
  func beginJournal(at oldest: JournalPlace, segmentBytes: Int) throws(LogError)
  /// Notes damage that was met, for `verify` to show.
  func note(_ damage: Damage, number: UInt64?) throws(LogError)
  /// All damage that was ever noted, the oldest first.
  func noted() throws(LogError) -> [Damage]
  /// Whether something was removed that the journal's files may still hold.
  func hasRemains() throws(LogError) -> Bool
  /// Whether the folder has had a manifest.
  func knowsManifest() throws(LogError) -> Bool
}

/// A connection that reads the sealed half; used by one thread.
package protocol SealedReading: AnyObject {
  func row(number: UInt64) throws(LogError) -> LogRow?
  func read(number: UInt64, log: LogID, after: Revision, limit: Int) throws(LogError) -> [StoredRun]
  func spans(number: UInt64, log: LogID, after: Revision, limit: Int) throws(LogError) -> [StoredSpan]
  func revision(number: UInt64, at: Timestamp) throws(LogError) -> Revision?
  func latestSnapshot(number: UInt64, log: LogID, notAfter: Revision) throws(LogError) -> Snapshot?
  func snapshots(number: UInt64, log: LogID) throws(LogError) -> [SnapshotInfo]
  func trimPoint(number: UInt64, below revision: Revision) throws(LogError) -> Revision
  func erasedBlocks(number: UInt64, log: LogID) throws(LogError) -> [ErasedBlock]
  func chain(number: UInt64) throws(LogError) -> ChainEnds?
  func close()
}

extension SealedReading {
  /// The value for a source without a chain.
  package func chain(number: UInt64) throws(LogError) -> ChainEnds? { nil }
}

extension SealedStore: FolderBackend {
  func apply(_ changes: [SealedChange], oldest: JournalPlace) throws(LogError) {
    try apply(changes, oldestSegment: oldest.segment, oldestFrame: oldest.frame)
  }

  func tidy() throws(LogError) -> Bool { mayBeUntidy ? try tidy(blocks: 64) : false }
}
extension SealedReader: SealedReading {}

/// How the sealed part is opened.
struct SealedSource: Sendable {
  var open:
    @Sendable (_ folder: String, _ writable: Bool, _ acceptsGaps: Bool) throws(LogError) -> any FolderBackend
  var reader: @Sendable (_ folder: String) throws(LogError) -> any SealedReading

  static func sqlite(on disk: any Disk, openBlock: Int = BlockSize.open) -> SealedSource {
    SealedSource(
      open: { folder, writable, acceptsGaps throws(LogError) in
        let store = try SealedStore(folder: folder, writable: writable, acceptsGaps: acceptsGaps, on: disk)
        store.openBlock = openBlock
        return store
      },
      reader: { folder throws(LogError) in try SealedReader(folder: folder, on: disk) })
  }
}
