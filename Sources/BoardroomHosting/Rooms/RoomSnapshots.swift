import BoardroomCodec
import BoardroomModel
import EventLogModel

/// The snapshots of one space: the newest that its log holds, one that waits for its revision to be durable, and in a
/// channel the picture of it that those get who come in.
struct RoomSnapshots {
  /// 1 MiB of elements: some 5 ms.
  static let encodedAtOnce = 1 << 20

  /// How far the encoding is that a snapshot needs.
  enum Encoding {
    /// Little is left.
    case done
    /// A piece was done, and there is more: `goOn` is to be called in a later turn.
    case begun
    /// Under way already.
    case underWay
  }

  private let wire: WireMessages
  private var encoder = StateEncoder()
  private var isEncoding = false
  private(set) var newest: SnapshotMessages?
  private var coming: Snapshot?
  /// What was shown last to who came into a channel, and one that waits for its revision to be durable.
  private var shown: SnapshotMessages?
  private var comingShown: Snapshot?

  init(_ opened: Snapshot?, wire: WireMessages) {
    self.wire = wire
    newest = opened.map { SnapshotMessages($0, wire: wire) }
  }

  var isComing: Bool { coming != nil }
  var lastRevision: Revision { newest?.snapshot.revision ?? .zero }

  // MARK: Encoding

  mutating func encode(_ state: RoomState) -> Encoding {
    guard !isEncoding else { return .underWay }
    if encoder.prepare(state, bytes: Self.encodedAtOnce) { return .done }
    isEncoding = true
    return .begun
  }

  /// The next piece; true: it was the last.
  mutating func goOn(_ state: RoomState) -> Bool {
    isEncoding = !encoder.prepare(state, bytes: Self.encodedAtOnce)
    return !isEncoding
  }

  // MARK: Snapshots

  /// Makes one of the present state, which counts once the log holds it.
  mutating func make(of state: RoomState) { coming = encoder.snapshot(of: state) }

  /// One to be stored, and for nothing else.
  mutating func last(of state: RoomState) -> Snapshot { encoder.snapshot(of: state) }

  /// A snapshot counts once the log holds all that is in it. The one that does so now, if one does.
  mutating func promote(upTo durable: Revision) -> Snapshot? {
    guard let coming, coming.revision <= durable else { return nil }
    self.coming = nil
    newest = SnapshotMessages(coming, wire: wire)
    return coming
  }

  /// What is before this revision is gone.
  mutating func forget(before low: Revision) {
    if let newest, newest.snapshot.revision.next < low { self.newest = nil }
  }

  // MARK: Channels

  /// The picture for somebody who came in at `needed`; nil: the log does not hold it yet. Those who come at about the
  /// same time share one.
  mutating func picture(
    of state: RoomState, since needed: Revision, upTo durable: Revision
  ) -> SnapshotMessages? {
    if let shown, shown.snapshot.revision >= needed { return shown }
    if comingShown.map({ $0.revision < needed }) ?? true { comingShown = encoder.snapshot(of: state) }
    guard let coming = comingShown, coming.revision <= durable else { return nil }
    comingShown = nil
    shown = SnapshotMessages(coming, wire: wire)
    return shown
  }
}
