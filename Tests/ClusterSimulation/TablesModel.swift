/// What one client has appended: its command's number makes it one of a kind.
struct ClientEvent: Hashable {
  var client: Int
  var counter: Int
}

/// Consecutive events of one log in a frame. Revisions count from 1.
struct FramePart {
  var log: Int
  var first: Int
  var events: [ClientEvent]
}

struct FrameRow {
  var incarnation: Int
  var number: Int
  var segment: Int
  var parts: [FramePart]

  var name: FrameName { FrameName(incarnation: incarnation, number: number) }
}

struct FrameName: Hashable {
  var incarnation: Int
  var number: Int
}

/// The tables of the database, as far as nodes depend on them.
struct TablesModel {
  struct IncarnationRow {
    var node: Int
    var slot: Int
    var isRecovered = false
    /// By purpose: commits, sealing, claims.
    var fences = [FenceRow](repeating: FenceRow(), count: 3)
    /// The database's clock, in milliseconds; nil where there is no such row.
    var beat: Int?
  }

  struct FenceRow {
    var link = 0
    var isFenced = false
  }

  /// A row of the catalog, with the blocks of its log.
  struct CatalogRow {
    var owner: Int?
    var events: [ClientEvent] = []
  }

  static let tablesPerSlot = 4

  var incarnations: [Int: IncarnationRow] = [:]
  var logs: [CatalogRow] = []
  /// By table, and then by incarnation and number.
  var frames: [Int: [FrameName: FrameRow]] = [:]

  static func table(slot: Int, segment: Int) -> Int { slot * tablesPerSlot + segment % tablesPerSlot }

  static func tables(slot: Int) -> [Int] { (0..<tablesPerSlot).map { slot * tablesPerSlot + $0 } }

  var unrecovered: [(id: Int, row: IncarnationRow)] {
    incarnations.filter { !$0.value.isRecovered }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The frames of an incarnation in order.
  func frames(of incarnation: Int, slot: Int) -> [FrameRow] {
    Self.tables(slot: slot).flatMap { frames[$0]?.values.filter { $0.incarnation == incarnation } ?? [] }
      .sorted { $0.number < $1.number }
  }

  func isFenced(_ incarnation: Int) -> Bool {
    incarnations[incarnation]?.fences.contains(where: \.isFenced) ?? true
  }

  enum Write {
    case start(id: Int, node: Int, slot: Int, beat: Int)
    case beat(Int, Int)
    case noBeat(Int)
    case link(Int, Int, Int)
    case fence(Int, purposes: ClosedRange<Int>)
    case recovered(Int)
    case owner(log: Int, Int?)
    case blocks(log: Int, after: Int, [ClientEvent])
    case frame(table: Int, FrameRow)
    case truncate(table: Int)
    /// A record of the write-ahead log that changes no table.
    case message
  }

  mutating func apply(_ writes: [Write]) {
    for write in writes {
      switch write {
      case .start(let id, let node, let slot, let beat):
        incarnations[id] = IncarnationRow(node: node, slot: slot, beat: beat)
      case .beat(let id, let time): if incarnations[id]?.beat != nil { incarnations[id]?.beat = time }
      case .noBeat(let id): incarnations[id]?.beat = nil
      case .link(let id, let purpose, let link): incarnations[id]?.fences[purpose].link = link
      case .fence(let id, let purposes): for one in purposes { incarnations[id]?.fences[one].isFenced = true }
      case .recovered(let id): incarnations[id]?.isRecovered = true
      case .owner(let log, let owner): logs[log].owner = owner
      case .blocks(let log, let after, let events):
        logs[log].events.replaceSubrange(min(after, logs[log].events.count)..., with: events)
      case .frame(let table, let row): frames[table, default: [:]][row.name] = row
      case .truncate(let table): frames[table] = [:]
      case .message: break
      }
    }
  }
}

/// What frames add to the blocks of logs: the fold that a recovery and a reader make.
struct FrameFold {
  /// The events behind the blocks, by log.
  private(set) var fresh: [Int: [ClientEvent]] = [:]
  /// What is wrong: a frame is missing, or a log has a gap.
  private(set) var damage: String?

  /// - Parameter logs: those whose events are taken; nil for all.
  init(_ frames: [FrameRow], over tables: TablesModel, logs: Set<Int>? = nil) {
    var expected: [Int: Int] = [:]
    for frame in frames {
      if let number = expected[frame.incarnation], number != frame.number {
        damage = "frame \(number) of incarnation \(frame.incarnation) is missing, \(frame.number) follows"
      }
      expected[frame.incarnation] = frame.number + 1
      for part in frame.parts where logs?.contains(part.log) ?? true {
        let next = tables.logs[part.log].events.count + (fresh[part.log]?.count ?? 0) + 1
        guard part.first <= next else {
          damage =
            "log \(part.log) goes on at \(part.first) in frame \(frame.number), and ends before \(next)"
          continue
        }
        fresh[part.log, default: []] += part.events.dropFirst(next - part.first)
      }
    }
  }
}
