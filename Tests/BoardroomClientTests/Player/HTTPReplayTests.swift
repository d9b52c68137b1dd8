import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// A server's HTTP interface as docs/HTTP.md has it, over the log of a world.
final class FakeServer: ReplayDoor {
  struct State {
    var tokens: Set<String> = []
    var paths: [String] = []
    /// These revisions are answered with status 500.
    var damaged: ClosedRange<UInt64>?
    var status: Int?
    /// Cuts every answer of runs so many bytes short.
    var cut = 0
  }
  let state = Mutex(State())
  let log: [RoomEvent]
  let room: RoomID
  let snapshots: [UInt64]
  private let codec = WireCodec(.binary)
  static let blockLength: UInt64 = 25

  init(_ world: World, snapshots: [UInt64] = []) {
    (log, room, self.snapshots) = (world.log, world.room, snapshots)
  }

  func get(_ path: String, headers: [(name: String, value: String)]) async -> ReplayAnswer {
    let (status, damaged, cut) = state.withLock { state in
      state.paths.append(path)
      for (name, value) in headers where name == "token" { state.tokens.insert(value) }
      return (state.status, state.damaged, state.cut)
    }
    if let status { return error(status) }
    let prefix = "/v5/rooms/\(room)/replay"
    guard path.hasPrefix(prefix) else { return error(404) }
    let (rest, query) = split(String(path.dropFirst(prefix.count)))
    if rest.isEmpty { return .status(200, body: Array(index.utf8)) }
    if rest == "/revision" { return .status(200, body: Array(revision(at: query["at"] ?? 0).utf8)) }
    if rest == "/runs" {
      let after = query["after"] ?? 0
      if damaged?.contains(after + 1) == true { return error(500) }
      return .status(
        200,
        body: runs(after: after, before: damaged.flatMap { $0.lowerBound > after ? $0.lowerBound : nil })
          .dropLast(cut))
    }
    guard rest.hasPrefix("/snapshots/"), let wanted = UInt64(rest.dropFirst(11)) else { return error(404) }
    return snapshot(notAfter: wanted)
  }

  private func error(_ status: Int) -> ReplayAnswer {
    let code = status == 404 ? "notFound" : status == 401 ? "tokenInvalid" : "internal"
    return .status(status, body: Array(#"{"code":"\#(code)","cause":"c.","cure":"d."}"#.utf8))
  }

  private func split(_ path: String) -> (String, [String: UInt64]) {
    let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
    var query: [String: UInt64] = [:]
    for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let sides = pair.split(separator: "=").map(String.init)
      query[sides[0]] = UInt64(sides[1])
    }
    return (parts.first ?? "", query)
  }

  private var blocks: [ClosedRange<UInt64>] {
    let last = UInt64(log.count)
    return stride(from: 1, through: last, by: Int(Self.blockLength)).map {
      $0...min($0 + Self.blockLength - 1, last)
    }
  }

  private var index: String {
    let left = log.last { $0.event.kind == EventKind.memberLeft.rawValue }?.time.description ?? "null"
    let blocks = blocks.map {
      #"{"first":\#($0.lowerBound),"last":\#($0.upperBound),"begin":1,"end":2,"bytes":3}"#
    }
    let snapshots = snapshots.map { #"{"revision":\#($0),"time":1,"bytes":2}"# }
    return """
      {"epoch":"00000000000000aa","low":1,"last":\(log.count),"begin":\(log[0].time),"end":\(log.last!.time),
      "emptied":\(left),"isRecord":true,"blocks":[\(blocks.joined(separator: ","))],
      "snapshots":[\(snapshots.joined(separator: ","))]}
      """
  }

  private func revision(at time: UInt64) -> String {
    #"{"revision":\#(log.last { $0.time.milliseconds <= Int64(time) }?.revision.rawValue ?? 0)}"#
  }

  private func framed(_ notices: [Notice]) -> [UInt8] {
    var bytes: [UInt8] = []
    for notice in notices {
      let message = codec.encode(server: notice)
      bytes.appendVarint(UInt64(message.count))
      bytes += message
    }
    return bytes
  }

  /// Whole blocks, so that the first may begin before what was asked for.
  private func runs(after: UInt64, before: UInt64?) -> [UInt8] {
    let wanted = blocks.filter { $0.upperBound > after && $0.lowerBound < before ?? .max }.prefix(2)
    return framed(
      wanted.compactMap { block in
        var builder = RunBuilder(first: Revision(block.lowerBound))
        for event in log[Int(block.lowerBound - 1)..<Int(min(block.upperBound, (before ?? .max) - 1))] {
          builder.append(
            Record(
              kind: event.event.kind, time: event.time, actor: event.actor.code,
              body: EventCodec.encodeBody(event.event, counter: event.counter)))
        }
        return builder.takeRun().map { .run($0) }
      })
  }

  private func snapshot(notAfter wanted: UInt64) -> ReplayAnswer {
    guard let revision = snapshots.last(where: { $0 <= wanted }) else { return error(404) }
    var state = RoomState()
    for event in log.prefix(Int(revision)) { state.apply(event) }
    var encoder = StateEncoder()
    let snapshot = encoder.snapshot(of: state)
    let root = Notice.snapshotRoot(
      revision: snapshot.revision, time: snapshot.time, stateHash: snapshot.stateHash,
      parts: snapshot.parts.count, bytes: snapshot.root)
    return .status(200, body: framed([root] + snapshot.parts.map { .snapshotPart($0.bytes) }))
  }
}

@Suite struct HTTPReplayTests {
  private func source(_ server: FakeServer) -> HTTPReplaySource {
    HTTPReplaySource(server.room, token: "NETLESSROOM_x", door: server)
  }

  @Test("RP-1: over HTTP with a room token the same is played as from the log itself, and as far as it goes")
  func same() throws {
    let world = try RecordedRoom.busy(seed: 12, seconds: 8).world
    let server = FakeServer(world, snapshots: [50])
    let (near, nearEars) = world.player()
    let (far, farEars) = world.player(source(server))
    near.play()
    far.play()
    world.run(for: 30)
    #expect(near.phase == .ended)
    #expect(far.phase == .ended)
    #expect(farEars.all == nearEars.all)
    #expect(nearEars.states.count > 20)
    #expect(server.state.withLock { $0.tokens } == ["NETLESSROOM_x"])
    let (a, b) = world.perform {
      _ = await near.seekToScheduleTime(4)
      _ = await far.seekToScheduleTime(4)
      return (await near.getBoard(), await far.getBoard())
    }
    #expect(hash(a) == hash(b))
    let asked = server.state.withLock {
      $0.paths.map { $0.split(separator: "replay").last.map(String.init) ?? "" }
    }
    #expect(asked.contains { $0.hasPrefix("/runs?after=0&limit=262144") })
  }

  @Test("RP-1, RP-45: the server's own words of refusal reach the app", arguments: [401, 404, 500])
  func refused(status: Int) throws {
    let world = try RecordedRoom.short().world
    let server = FakeServer(world)
    server.state.withLock { $0.status = status }
    let (player, ears) = world.player(source(server))
    world.run(for: 1)
    #expect(player.phase == .stopped)
    let error = try #require(
      ears.heard.compactMap { if case .stopped(let error) = $0 { error } else { nil } }.first)
    let codes: [Int: RefusalCode] = [401: .tokenInvalid, 404: .notFound, 500: .internalFailure]
    #expect(error.code == codes[status])
    #expect(error.cause == "c.")
  }

  @Test("RP-65: a block that the server cannot send is a gap; it goes on at the next snapshot of the index")
  func damage() throws {
    let world = try RecordedRoom.busy(seed: 13, seconds: 8).world
    #expect(world.log.count > 70)
    let server = FakeServer(world, snapshots: [60])
    server.state.withLock { $0.damaged = 26...50 }
    let (player, _) = world.player(source(server))
    player.play()
    world.run(for: 30)
    #expect(player.phase == .ended)
    #expect(player.gaps.map { $0.first.rawValue...$0.last.rawValue } == [26...50])
    #expect(hash(world.perform { await player.getBoard() }) == hash(world.foldedState))
  }

  private static let good = #""low":1,"last":2,"begin":1,"end":2"#
  static let bad: [(String, String)] = [
    ("no JSON", "<html>"), ("no object", "[1]"), ("no epoch", #"{\#(good),"isRecord":true}"#),
    ("a bad epoch", #"{"epoch":"x",\#(good),"isRecord":true}"#),
    ("a number below zero", #"{"epoch":"00000000000000aa","low":-1,"isRecord":true}"#),
    ("a fraction", #"{"epoch":"00000000000000aa","low":1,"last":2.5,"begin":1,"end":2,"isRecord":true}"#),
    ("no isRecord", #"{"epoch":"00000000000000aa",\#(good)}"#),
    ("a bad block", #"{"epoch":"00000000000000aa",\#(good),"isRecord":true,"blocks":[{}]}"#),
  ]

  @Test("RP-36: an index that is none is told as such", arguments: bad)
  func badIndex(what: String, text: String) throws {
    struct Door: ReplayDoor {
      let text: String
      func get(_ path: String, headers: [(name: String, value: String)]) async -> ReplayAnswer {
        .status(200, body: Array(text.utf8))
      }
    }
    let world = World()
    let source = HTTPReplaySource(world.room, token: "", door: Door(text: text))
    let found = world.perform {
      await WhitePlayer.isPlayable(WhitePlayerConfig(room: ""), from: source)
    }
    guard case .notReadable(let error) = found else { Issue.record("it was \(found)"); return }
    #expect(error.code == .malformed)
  }

  @Test("RP-65: an answer that ends early is damage of the block that was due, not a crash")
  func cutShort() throws {
    let world = try RecordedRoom.busy(seed: 13, seconds: 8).world
    let server = FakeServer(world, snapshots: [60])
    server.state.withLock { $0.cut = 3 }
    let (player, _) = world.player(source(server))
    player.play()
    world.run(for: 30)
    #expect(player.phase == .ended)
    #expect(!player.gaps.isEmpty)
  }
}
