#if BOARDROOM_POSTGRES
  import BoardroomHTTP
  import BoardroomModel
  import BoardroomWebhooks
  import EventLogModel
  import Foundation
  import NIOPosix
  import PostgresLog

  /// Images of boards in a database.
  struct DatabaseImages: ImagePlace {
    let images: PostgresImages
    let sweep: TablesImageSweep
    let place: String

    var description: String { "the images of \(place)" }
    var isThere: Bool { true }
    var isShared: Bool { true }

    func path(of name: ImageName, in room: RoomID) -> String { "\(room)/\(name) of \(place)" }

    func put(
      _ bytes: [UInt8], as name: ImageName, in room: RoomID, _ limits: ImageLimits
    ) -> ImageFailure? {
      let answer = asked { () throws(LogError) in
        try images.put(
          bytes, named: "\(name)", of: room, bytesLimit: limits.bytes, countLimit: limits.count)
      }
      switch answer {
      case .success(.stored): return nil
      // It was not stored, also where images were removed in between, so that there would be room now.
      case .success(.overLimit(let bytes, let count)):
        return limits.failure(bytes: bytes, count: count) ?? .unavailable
      case .failure(let failure): return failure
      }
    }

    func read(_ name: ImageName, in room: RoomID) -> Result<[UInt8]?, ImageFailure> {
      asked { () throws(LogError) in try images.image(named: "\(name)", of: room) }
    }

    func about(_ name: ImageName, in room: RoomID) -> Result<ListedImage?, ImageFailure> {
      asked { () throws(LogError) in try images.about("\(name)", of: room) }.map { $0.flatMap(Self.listed) }
    }

    func page(after last: String?, limit: Int) -> Result<[ListedImage], ImageFailure> {
      let after = last.flatMap { Self.split([$0]).first }
      return asked { () throws(LogError) in try images.page(after: after, limit: limit) }
        .map { $0.compactMap(Self.listed) }
    }

    func rooms() -> Result<[RoomID], ImageFailure> {
      asked { () throws(LogError) in try images.logs() }
    }

    func remove(_ name: ImageName, of room: RoomID) -> ImageFailure? {
      failure { () throws(LogError) in try images.remove("\(name)", of: room) }
    }

    func removeAll(of room: RoomID) -> ImageFailure? {
      failure { () throws(LogError) in try images.removeAll(of: room) }
    }

    // MARK: Images that nothing names

    func isOurTurn() -> Result<Bool, ImageFailure> {
      asked { () throws(LogError) in try sweep.isOurTurn() }
    }

    func readUnsealed(_ take: ([UInt8]) -> Void) -> ImageFailure? {
      failure { () throws(LogError) in try sweep.readUnsealed(take) }
    }

    func setAside(
      _ images: Set<String>, unlessPutAfter time: Timestamp
    ) -> Result<Set<String>, ImageFailure> {
      asked { () throws(LogError) in try sweep.setAside(Self.split(images), unlessPutAfter: time) }
        .map(Self.joined)
    }

    func bringBack(_ images: Set<String>?) -> ImageFailure? {
      failure { () throws(LogError) in
        if let images { try sweep.bringBack(Self.split(images)) } else { try sweep.bringAllBack() }
      }
    }

    func removeAside(_ images: Set<String>) -> Result<Set<String>, ImageFailure> {
      asked { () throws(LogError) in try sweep.removeAside(Self.split(images)) }.map(Self.joined)
    }

    /// `room/name` as the two.
    private static func split(_ images: Set<String>) -> [TablesImageSweep.NamedImage] {
      images.sorted().compactMap { image in
        LogID(String(image.prefix(32))).map { (log: $0, name: String(image.dropFirst(33))) }
      }
    }

    private static func joined(_ images: [TablesImageSweep.NamedImage]) -> Set<String> {
      Set(images.map { "\($0.log)/\($0.name)" })
    }

    private func failure(_ work: () throws(LogError) -> Void) -> ImageFailure? {
      if case .failure(let failure) = asked(work) { failure } else { nil }
    }

    private static func listed(_ image: PostgresImages.Listed) -> ListedImage? {
      ImageName(image.name).map {
        ListedImage(room: image.log, name: $0, bytes: image.bytes, put: image.put)
      }
    }

    private func asked<Value>(
      _ work: () throws(LogError) -> Value
    ) -> Result<Value, ImageFailure> {
      do throws(LogError) { return .success(try work()) } catch {
        switch error {
        case .full, .stopped: return .failure(.unavailable)
        // As of a file that the disk cannot read: only silence passes by itself.
        case .damaged: return .failure(.io(operation: "a query of PostgreSQL", code: EIO))
        case .io(let operation, _, let code): return .failure(.io(operation: operation, code: code))
        default: return .failure(.unavailable)
        }
      }
    }
  }

  /// How far an endpoint of webhooks was told, in a database.
  struct DatabaseCursors: SharedCursors {
    let cursors: PostgresCursors
    /// The number of this node's start; nil if it shares the database with none.
    let node: Int64?
    let threads: NIOThreadPool

    func begin(with known: [LogID: Cursor], skips: Bool) async throws(LogError) -> Bool {
      try await asked { cursors throws(LogError) in try cursors.begin(with: known, skips: skips) }
    }

    func failingSince() async throws(LogError) -> Timestamp? {
      try await asked { cursors throws(LogError) in try cursors.failingSince() }
    }

    func note(failingSince time: Timestamp?) async throws(LogError) {
      try await asked { cursors throws(LogError) in try cursors.note(failingSince: time) }
    }

    func cursors(of logs: [LogID]) async throws(LogError) -> [LogID: Cursor] {
      try await asked { cursors throws(LogError) in try cursors.cursors(of: logs) }
    }

    func move(_ moves: [LogID: Cursor?]) async throws(LogError) -> [LogID: Cursor] {
      let moves = moves.map { PostgresCursors.MovedCursor(log: $0.key, cursor: $0.value) }
      return try await asked { cursors throws(LogError) in try cursors.move(moves) }
    }

    func behind(
      after last: LogID?, limit: Int, ofNobody: Bool
    ) async throws(LogError) -> BehindPage {
      let owners: PostgresCursors.Owners
      switch node {
      case let node?: owners = ofNobody ? .nobody : .node(node)
      // Nobody else tells of logs: whoever is their owner by the tables, all are asked for at once.
      case nil where ofNobody: owners = .everybody
      case nil: return BehindPage(logs: [], last: nil)
      }
      let page = try await asked { cursors throws(LogError) in
        try cursors.behind(after: last, limit: limit, of: owners)
      }
      let logs = page.logs.map { found in
        // Of another life of the log it says nothing about this one.
        let cursor = found.cursor.flatMap { $0.epoch == found.epoch ? $0 : nil }
        return LogBehind(log: found.log, last: found.last, cursor: cursor)
      }
      return BehindPage(logs: logs, last: page.last)
    }

    func takeDuty() async throws(LogError) -> Int? {
      let node = node ?? 0
      return try await asked { cursors throws(LogError) in try cursors.takeDuty(node) }
    }

    func giveUpDuty() async {
      let node = node ?? 0
      _ = try? await asked { cursors throws(LogError) in try cursors.giveUpDuty(node) }
    }

    private func asked<Value: Sendable>(
      _ work: @escaping @Sendable (PostgresCursors) throws(LogError) -> Value
    ) async throws(LogError) -> Value {
      let answer = try? await threads.runIfActive { [cursors] () -> Result<Value, LogError> in
        do throws(LogError) { return .success(try work(cursors)) } catch { return .failure(error) }
      }
      guard let answer else { throw .stopped(reason: "the server ends") }
      return try answer.get()
    }
  }
#endif
