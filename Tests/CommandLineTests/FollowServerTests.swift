import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import StorageTestKit
import Synchronization
import Testing

/// A server with a room that was imported, one that was deleted, a channel, and an image.
private final class Followed: Sendable {
  static let room = SampleLog.room
  static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
  /// SHA-256 of these bytes.
  static let image = "7f47b756761a46e6d4a4d96f0d8a4448f8449235009d1f3ad1493f5c773c19e8.png"

  let folder: Folder
  let server: LiveServer

  init() async throws {
    folder = try Folder()
    server = LiveServer(in: folder)
    let source = "/v5/rooms/\(Self.room)/images/\(Self.image)"
    let line =
      #"{"rev":61,"t":1700000006000,"by":0,"n":59,"kind":"magix","body":{"event":"image","payload":{"src":""#
      + source + "\"}}}\n"
    try folder.write(SampleLog.text + line, to: "room.jsonl")
    let made = try await Program.run("import", "room.jsonl", "--room", Self.room, "--quiet", in: folder)
    #expect(made.status == 0, "\(made.errors)")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data/images/\(Self.room)", withIntermediateDirectories: true)
    try folder.write(Self.png, to: "data/images/\(Self.room)/\(Self.image)")
    try await change { store in
      let events: [Event] = [.room(.created(RoomCreated(name: "gone", isRecord: false))), .room(.deleted)]
      let gone = RoomID(high: 7, low: 7)
      _ = try await store.create(gone, at: .zero)
      try await store.append(events.map(Self.record), to: gone, expecting: nil, epoch: nil)
      let lobby = SpaceName.channel(.signaling, "lobby")
      _ = try await store.create(lobby.log, at: .zero)
      let made = Event.space(.created(lobby))
      try await store.append([Self.record(made)], to: lobby.log, expecting: nil, epoch: nil)
    }
    try await server.start()
  }

  /// Revisions of all logs.
  static let count = SampleLog.count + 4

  static func record(_ event: Event) -> Record {
    Record(
      kind: event.kind, time: .zero, actor: Actor.server.code, body: EventCodec.encodeBody(event, counter: 0))
  }

  /// What `work` does to the folder while no server has it.
  func change(_ work: (EmbeddedLogStore) async throws -> Void) async throws {
    let store = try EmbeddedLogStore.open(folder: folder.path + "/data")
    try await work(store)
    await store.shutdown()
  }

  func add(_ count: Int) async throws {
    try await change { store in
      let room = try #require(RoomID(Self.room))
      var generator = SeededGenerator(seed: UInt64(count))
      for first in stride(from: 0, to: count, by: 1_000) {
        let events = (first..<min(count, first + 1_000)).map { number in
          let chance = UInt64.random(in: 0 ... .max, using: &generator)
          return Event.magix(
            MagixEvent(name: "more", payload: JSONText(unchecked: "\"\(number) \(chance)\"")))
        }
        try await store.append(events.map(Self.record), to: room, expecting: nil, epoch: nil)
      }
    }
  }

  func follow(_ more: String..., server url: String? = nil, copy: String = "copy") async throws -> (
    status: Int32, json: [String: Int], errors: String
  ) {
    let arguments = ["follow", copy, "--server", url ?? server.url, "--once", "--json"]
    let answer = try await Program.run(arguments + more, in: folder)
    let object = try? JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Int]
    return (answer.status, object ?? [:], answer.errors)
  }

  /// The copy's rooms as an export and a fold say them, and that all of it is whole.
  func content(of data: String) async throws -> [String] {
    var content: [String] = []
    let logs = [[Self.room], ["\(RoomID(high: 7, low: 7))"], ["--channel", "signaling/lobby"]]
    for log in logs {
      let lines = try await Program.run(["export", "--data", data] + log, in: folder)
      let state = try await Program.run(
        ["replay", "--at", "end", "--json", "--data", data] + log, in: folder)
      #expect(lines.status == 0, "\(lines.errors)\(state.errors)")
      #expect(state.status == 0, "\(lines.errors)\(state.errors)")
      let object = try JSONSerialization.jsonObject(with: Data(state.output.utf8)) as? [String: Any]
      content += [lines.output, try #require(object?["stateHash"] as? String)]
    }
    let verified = try await Program.run("verify", "--level", "deep", "--data", data, in: folder)
    #expect(verified.status == 0, "\(verified.output)")
    #expect(verified.output.contains("1 images"), "\(verified.output)")
    return content
  }
}

@Suite("Command line: a copy that follows a server on another machine", .serialized)
struct FollowServerTests {
  @Test(
    "FILE-7: a pull over HTTP ends in the same copy as following the folder, by every record, state hash and chain"
  )
  func same() async throws {
    let followed = try await Followed()
    let pulled = try await followed.follow("--data", "data")
    #expect(pulled.status == 0, "\(pulled)")
    #expect(pulled.json["events"] == Followed.count, "\(pulled)")
    #expect(pulled.json["rooms"] == 3)
    #expect(pulled.json["images"] == 1)
    #expect(pulled.json["failed"] == 0)
    let local = try await Program.run("follow", "local", "--once", in: followed.folder)
    #expect(local.status == 0, "\(local.errors)")
    let none = try await followed.follow("--data", "data")
    #expect(none.status == 0, "\(none)")
    #expect(none.json["events"] == 0, "\(none)")
    #expect(none.json["rooms"] == 0, "\(none)")
    #expect(try await followed.server.interrupt() == 0)
    let content = try await followed.content(of: "data")
    #expect(try await followed.content(of: "copy") == content)
    #expect(try await followed.content(of: "local") == content)
  }

  @Test("FILE-7: keys come over for who has the key pair, and for no token; a copy without says so")
  func keys() async throws {
    let followed = try await Followed()
    let without = try await followed.follow("--data", "data")
    #expect(without.status == 0, "\(without.errors)")
    #expect(without.errors.contains("no keys"), "\(without.errors)")
    #expect(!FileManager.default.fileExists(atPath: followed.folder.path + "/copy/keys.json"))
    let with = try await followed.follow("--data", "data", "--with-keys")
    #expect(with.status == 0, "\(with.errors)")
    #expect(!with.errors.contains("no keys"), "\(with.errors)")
    #expect(try followed.folder.text("copy/keys.json") == followed.folder.text("data/keys.json"))
    // A pair of another server.
    let token = try await Program.run("token", "sdk", "--role", "admin", in: followed.folder)
    try FileManager.default.createDirectory(
      atPath: followed.folder.path + "/other", withIntermediateDirectories: true)
    try followed.folder.write(
      #"{"team":"00000000000000000000000000000001","app":"00000000000000000000000000000002","keys":[{"ak":"a","secret":"b"}]}"#,
      to: "other/keys.json")
    let wrong = try await followed.follow(
      "--with-keys", "--data", "other", "--token", try #require(token.lines.first), copy: "second")
    #expect(wrong.status == 77, "\(wrong)")
    #expect(wrong.errors.contains("is not one of this server's"), "\(wrong)")
  }

  @Test("FILE-7: without a token, with one that is wrong and with one that may too little nothing is copied")
  func tokens() async throws {
    let followed = try await Followed()
    var tokens = ["NETLESSSDK_bm8"]
    for role in ["writer", "reader"] {
      let made = try await Program.run("token", "sdk", "--role", role, in: followed.folder)
      tokens.append(try #require(made.lines.first))
    }
    let room = try await Program.run("token", "room", Followed.room, "--role", "admin", in: followed.folder)
    tokens.append(try #require(room.lines.first))
    for token in tokens {
      let refused = try await followed.follow("--token", token)
      #expect(refused.status == 77, "\(refused)")
      #expect(!refused.errors.isEmpty, "\(refused)")
    }
    #expect(!FileManager.default.fileExists(atPath: followed.folder.path + "/copy/log.db"))
    // No key from which one could be made, and nothing that answers.
    let keyless = try await followed.follow("--data", "nowhere")
    #expect(keyless.status == 66, "\(keyless)")
    let silent = try await followed.follow("--data", "data", server: "http://127.0.0.1:9")
    #expect(silent.status == 69, "\(silent)")
    #expect(silent.errors.contains("does not answer"), "\(silent)")
  }

  @Test("FILE-7: a server of another store than the copy follows is refused, unless it is adopted")
  func otherStore() async throws {
    let followed = try await Followed()
    #expect(try await followed.follow("--data", "data").status == 0)
    let second = try await Followed()
    let token = try await Program.run("token", "sdk", "--role", "admin", in: second.folder)
    let mine = try #require(token.lines.first)
    let refused = try await followed.follow("--token", mine, server: second.server.url)
    #expect(refused.status == 65, "\(refused)")
    #expect(refused.errors.contains("follows another store"), "\(refused)")
    // The same rooms, with the same events, of another store.
    let adopted = try await followed.follow("--adopt", "--token", mine, server: second.server.url)
    #expect(adopted.status == 0, "\(adopted)")
    #expect(adopted.json["events"] == 0, "\(adopted)")
    let back = try await followed.follow("--data", "data")
    #expect(back.status == 65)
    let local = try await Program.run("follow", "copy", "--once", in: followed.folder)
    #expect(local.status == 65, "\(local.errors)")
    #expect(local.errors.contains("follows another store"), "\(local.errors)")
  }

  @Test(
    "FILE-7: a connection that is cut in the middle costs a pass, and the next one goes on; what is there is whole"
  )
  func cut() async throws {
    let followed = try await Followed()
    #expect(try await followed.server.interrupt() == 0)
    try await followed.add(20_000)
    try await followed.server.start()
    // Through this one each connection ends after so many bytes of answers; then it lets more through.
    let proxy = try CuttingProxy(to: followed.server.port, after: [3_000, 60_000, 200_000])
    var statuses: [Int32] = []
    for _ in 1...6 {
      let pass = try await followed.follow("--data", "data", server: "http://127.0.0.1:\(proxy.port)")
      statuses.append(pass.status)
      if pass.status == 0 { break }
      #expect(pass.status == 69, "\(pass)")
    }
    #expect(statuses.last == 0, "\(statuses)")
    #expect(statuses.count > 1, "\(statuses)")
    #expect(try await followed.server.interrupt() == 0)
    #expect(try await followed.content(of: "copy") == followed.content(of: "data"))
  }

  @Test("FILE-7: a server that is killed and started again is followed on, with what it got meanwhile")
  func killed() async throws {
    let followed = try await Followed()
    let output = followed.folder.path + "/follow.out"
    let program = try await StartedProgram(
      Program.url.path,
      ["follow", "copy", "--server", followed.server.url, "--data", "data", "--every", "1", "--json"],
      in: followed.folder.path, output: StartedProgram.file(output),
      errors: StartedProgram.file(followed.folder.path + "/follow.err"))
    func seen(_ events: Int) async throws {
      _ = try await until("\(events) events are copied") { () -> Bool? in
        try String(contentsOfFile: output, encoding: .utf8).contains("\"events\":\(events),") ? true : nil
      }
    }
    try await seen(Followed.count)
    try await followed.server.kill()
    try await followed.add(333)
    try await followed.server.start()
    try await seen(333)
    program.send(SIGINT)
    #expect(await program.ended() == 130)
    #expect(try await followed.server.interrupt() == 0)
    #expect(try await followed.content(of: "copy") == followed.content(of: "data"))
  }

  @Test("FILE-7, LOG-29: what was erased at the server is erased in the copy, its images too")
  func erased() async throws {
    let followed = try await Followed()
    #expect(try await followed.follow("--data", "data").status == 0)
    #expect(try await followed.server.interrupt() == 0)
    let erased = try await Program.run(
      "erase", "--uid", "ada", "--certificate", "c.json", in: followed.folder)
    #expect(erased.status == 0, "\(erased.errors)")
    try await followed.server.start()
    let pass = try await followed.follow("--data", "data")
    #expect(pass.status == 0, "\(pass)")
    #expect(pass.json["erased"] == 1, "\(pass)")
    let image = "/images/\(Followed.room)/\(Followed.image)"
    #expect(!FileManager.default.fileExists(atPath: followed.folder.path + "/copy" + image))
    #expect(try await followed.server.interrupt() == 0)
    for name in ["data", "copy"] {
      let lines = try await Program.run("export", Followed.room, "--data", name, in: followed.folder)
      #expect(lines.status == 0, "\(name)")
      #expect(!lines.output.contains("\"ada\""), "\(name)")
    }
    let ours = try await Program.run("export", Followed.room, "--data", "copy", in: followed.folder)
    let theirs = try await Program.run("export", Followed.room, in: followed.folder)
    #expect(ours.output == theirs.output)
  }
}

/// Passes connections on, and ends each after so many bytes of answers: the first after the first number, and so on; those
/// after the last number are left alone.
private final class CuttingProxy: Sendable {
  let port: Int
  private let target: Int
  private let listener: Int32
  private let limits: Mutex<[Int]>

  struct Failure: Error {}

  init(to target: Int, after limits: [Int]) throws {
    self.target = target
    self.limits = Mutex(limits)
    let listener = Self.socket()
    self.listener = listener
    var address = Self.address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
    }
    let named = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
    }
    guard bound == 0, named == 0, listen(listener, 16) == 0 else { throw Failure() }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        let limit = self.limits.withLock { $0.isEmpty ? Int.max : $0.removeFirst() }
        Thread.detachNewThread { self.pass(client, limit) }
      }
    }
  }

  deinit { close(listener) }

  private static func socket() -> Int32 {
    #if canImport(Darwin)
      Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #else
      Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
  }

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private func pass(_ client: Int32, _ limit: Int) {
    let server = Self.socket()
    var address = Self.address(port: target)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if connected == 0 {
      Thread.detachNewThread { Self.copy(client, server, .max) }
      Self.copy(server, client, limit)
    }
    for end in [client, server] { shutdown(end, Int32(SHUT_RDWR)) }
  }

  private static func copy(_ from: Int32, _ to: Int32, _ limit: Int) {
    var (piece, left) = ([UInt8](repeating: 0, count: 16 << 10), limit)
    while left > 0 {
      let count = read(from, &piece, min(piece.count, left))
      guard count > 0, write(to, piece, count) == count else { return }
      left -= count
    }
  }
}
