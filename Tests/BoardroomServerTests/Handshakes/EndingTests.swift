import BoardroomModel
import EventLog
import EventLogModel
import Logging
import ServerTestKit
import ServiceLifecycle
import Synchronization
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting
@testable import BoardroomServer

/// A store on a disk that has stopped answering: from then on no reading and no ending comes to an end.
private final class StuckStore: ForwardingLogStore {
  let base: any LogStore = MemoryLogStore()
  private let isStuck = Mutex(false)
  private let (calls, call) = AsyncStream<Void>.makeStream()

  func stick() { isStuck.withLock { $0 = true } }
  /// Returns when somebody has begun to wait for the disk.
  func untilAsked() async { _ = await calls.first { _ in true } }

  private func hold() async {
    guard isStuck.withLock({ $0 }) else { return }
    call.yield()
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  func info(of log: LogID) async throws(LogError) -> LogInfo {
    await hold()
    return try await base.info(of: log)
  }
  func shutdown() async {
    await hold()
    await base.shutdown()
  }
  func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender {
    await hold()
    return try await base.open(log, listener: listener)
  }
  func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    await hold()
    return try await base.latestSnapshot(of: log, notAfter: notAfter)
  }
}

@Test(
  "BOUND-9: a disk that does not answer any more keeps no server from ending, and the log says so",
  .timeLimit(.minutes(15)))
func stuckDisksEnd() async throws {
  let store = StuckStore()
  let lines = Mutex("")
  let room = RoomID.random()
  let pair = KeyPair.random()
  _ = try await store.create(room, at: .wallClock)
  var settings = ServerSettings()
  (settings.port, settings.threads, settings.drain) = (0, 2, .milliseconds(100))
  let (ports, portsIn) = AsyncStream<Int>.makeStream()
  let logger = Logger(label: "test") {
    LogLines(label: $0, level: .info, format: .text) { line in
      lines.withLock { $0 += String(decoding: line, as: UTF8.self) }
    }
  }
  let server = BoardroomServer(settings: settings, store: store, keys: KeyRing(pairs: [pair]), logger: logger)
  {
    portsIn.yield($0)
  }
  let services = ServiceGroup(
    services: [server], logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
  async let ended: Void = services.run()
  let port = try #require(await ports.first { _ in true })
  let token = AccessToken(scope: .room(room), role: .writer, keyID: pair.id, lifespan: 60_000, at: .wallClock)
  let socket = try #require(RawSocket(port: port))
  socket.askForRoom(offering: "boardroom.json.v1")
  _ = await socket.receive(until: "\r\n\r\n")
  store.stick()
  socket.sendFrame("{\"m\":\"hello\",\"room\":\"\(room)\",\"token\":\"\(token.signed(with: pair.secret))\"}")
  await store.untilAsked()
  await services.triggerGracefulShutdown()
  try await ended
  #expect(lines.withLock { $0.contains("error the log did not close in time") })
  #expect(lines.withLock { $0.contains("info stopped") })
}
