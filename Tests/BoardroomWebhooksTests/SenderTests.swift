import BoardroomCodec
import BoardroomModel
import CoreMetrics
import EventLog
import EventLogModel
import Foundation
import Logging
import StorageTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomServer
@testable import BoardroomWebhooks

/// A receiver on a virtual loop.
final class SimulatedDoor: WebhookTransport {
  let loop: VirtualLoop
  let answer: Mutex<WebhookAnswer>
  private let log = Mutex<[WebhookRequest]>([])
  var requests: [WebhookRequest] { log.withLock { $0 } }

  init(_ loop: VirtualLoop, _ answer: WebhookAnswer) {
    self.loop = loop
    self.answer = Mutex(answer)
  }

  func post(_ request: WebhookRequest, within: Duration) async -> WebhookAnswer {
    log.withLock { $0.append(request) }
    await withCheckedContinuation { continuation in
      loop.execute(after: .milliseconds(5)) { continuation.resume() }
    }
    return answer.withLock { $0 }
  }

  /// Events by type, in the order of the requests.
  var types: [String] {
    requests.compactMap { try? JSONValue.parse($0.body)["type"]?.string }
      .map { String($0.dropFirst("net.boardroom.".count)) }
  }
}

/// A sender with logs in memory and its file on disk, all on one virtual loop.
final class SenderWorld {
  let loop: VirtualLoop
  let base: MemoryLogStore
  /// What the sender reads.
  let counted: CountedStore
  let transport: SimulatedDoor
  private let place = TemporaryFolder()
  var folder: String { place.path }
  let registry = PrometheusRegistry()
  private(set) var store: WatchedStore
  private var inbox: WebhookInbox
  private var sender: WebhookSender?

  /// - Parameter other: another node, with the same store and receiver.
  init(_ answer: WebhookAnswer = Answers.fine, beside other: SenderWorld? = nil) throws {
    loop = other?.loop ?? VirtualLoop(seed: 3)
    base = other?.base ?? MemoryLogStore(commits: .whenTold)
    counted = CountedStore(base: base)
    transport = other?.transport ?? SimulatedDoor(loop, answer)
    inbox = WebhookInbox(timer: loop, clock: { .zero })
    store = WatchedStore(base, hub: WebhookHub(kinds: .standard, inboxes: []))
  }

  func start(
    shared: (any SharedCursors)? = nil, _ change: (inout WebhookSettings) -> Void = { _ in }
  ) throws {
    var settings = WebhookSettings()
    change(&settings)
    let loop = loop
    let clock: @Sendable () -> Timestamp = { loop.now }
    inbox = WebhookInbox(timer: loop, clock: clock)
    store = WatchedStore(base, hub: WebhookHub(kinds: settings.wanted, inboxes: [inbox]))
    let endpoint = try #require(WebhookEndpoint("http://receiver.example/hook?key=secret"))
    let file = WebhookCursorFile(folder: folder, id: endpoint.id)
    let sender = WebhookSender(
      endpoint, inbox: inbox, file: file, known: try file.read(), shared: shared,
      around: .init(
        store: counted, transport: transport, secrets: [WebhookSecret()], settings: settings, clock: clock,
        wall: clock,
        chance: { loop.chance() }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
      counters: WebhookCounters(endpoint, registry))
    self.sender = sender
    finish { try? await sender.open() }
    Task(executorPreference: VirtualTasks(loop)) { await sender.run() }
    settle()
  }

  func stop() {
    inbox.close()
    settle()
  }

  func settle(_ duration: Duration = .seconds(1)) {
    let end = loop.now + duration
    while loop.runNext(until: end) {}
    loop.advance(to: end)
  }

  func finish(_ work: @escaping @Sendable () async -> Void) {
    Task(executorPreference: VirtualTasks(loop)) { await work() }
    settle(.milliseconds(1))
  }

  func make(_ room: RoomID) {
    append([(.server, .room(.created(RoomCreated(name: "r"))))], to: room, isNew: true)
  }

  func append(_ events: [(Actor, Event)], to room: RoomID, isNew: Bool = false) {
    let (store, now) = (store, loop.now)
    finish {
      if isNew { _ = try? await store.create(room, at: now) }
      let records = events.map { actor, event in
        Record(
          kind: event.kind, time: now, actor: actor.code, body: EventCodec.encodeBody(event, counter: 0))
      }
      _ = try? await store.append(records, to: room, expecting: nil, epoch: nil)
    }
  }

  func metric(_ name: String) -> Double? {
    let found = registry.all().first { $0.key.name == "boardroom_webhooks_\(name)" }
    return switch found?.series {
    case .counter(let counter): Double(counter.value)
    case .gauge(let gauge): gauge.value
    case .histogram, nil: nil
    }
  }
}

let (one, two) = (RoomID(high: 5, low: 1), RoomID(high: 5, low: 2))
let joined = Event.members(
  .joined(
    MemberJoined(session: .random(), uid: "ada", role: .writer, writable: true, payload: nil, client: nil)))

@Test("A new endpoint begins at the present end of each log, or at the beginning if it is set so")
func newEndpointsBegin() throws {
  for (from, expected) in [
    (WebhookSettings.Beginning.now, ["member.joined", "room.created"]),
    (.beginning, ["room.created", "member.joined", "room.created"]),
  ] {
    let world = try SenderWorld()
    world.make(one)
    try world.start { $0.from = from }
    world.append([(.member(0), joined)], to: one)
    world.make(two)
    world.settle()
    #expect(world.transport.types == expected)
    #expect(world.metric("sent_total") == Double(expected.count))
    world.stop()
  }
}

@Test("What was committed while no server ran is told at the next start, and what was told is not told again")
func startsWhereItStopped() throws {
  let world = try SenderWorld()
  try world.start()
  world.make(one)
  world.settle()
  world.stop()
  world.append([(.member(0), joined)], to: one)
  world.make(two)
  #expect(world.transport.types == ["room.created"])
  try world.start()
  #expect(world.transport.types.sorted() == ["member.joined", "room.created", "room.created"])
  world.stop()
}

@Test("A sender tries again after its pauses, and hears of new events while it rests")
func sendsAgain() throws {
  let world = try SenderWorld(Answers.status(500))
  try world.start()
  world.make(one)
  world.settle(.seconds(20))
  world.append([(.member(0), joined)], to: one)
  let tried = world.transport.requests.count
  #expect((3...7).contains(tried), "\(tried)")
  #expect(Set(world.transport.requests.map(\.body)).count == 1)
  world.transport.answer.withLock { $0 = Answers.fine }
  world.settle(.seconds(20))
  #expect(world.transport.types.suffix(2) == ["room.created", "member.joined"])
  #expect(world.metric("failed_total") == Double(tried))
  world.stop()
}

@Test("A batch is a JSON array of events with an id of its own, an event alone is one object")
func batches() throws {
  let world = try SenderWorld()
  world.make(one)
  world.append([(.member(0), joined), (.member(0), .members(.left(.left)))], to: one)
  try world.start {
    $0.batch = 10
    $0.from = .beginning
  }
  let request = try #require(world.transport.requests.first)
  let headers = Dictionary(uniqueKeysWithValues: request.headers)
  #expect(world.transport.requests.count == 1)
  #expect(headers["content-type"] == "application/cloudevents-batch+json; charset=utf-8")
  #expect(headers["webhook-id"]?.hasPrefix("batch-") == true)
  let types = try JSONValue.parse(request.body).array?.compactMap {
    $0["type"]?.string?.split(separator: ".").last
  }
  #expect(types == ["created", "joined", "left", "emptied"])
  world.stop()
}

@Test("HOOK-12: a room that goes on is not read from its beginning for each event that it tells")
func readsOnlyWhatIsNew() throws {
  let world = try SenderWorld()
  try world.start()
  world.make(one)
  for _ in 1...50 { world.append([(.member(0), joined)], to: one) }
  world.settle()
  let (before, told) = (world.counted.reads.count, world.transport.types.count)
  #expect(told == 51)
  world.append([(.member(1), joined)], to: one)
  world.settle(.seconds(60))
  world.append([(.member(2), joined)], to: one)
  world.settle(.seconds(60))
  #expect(world.transport.types.count == told + 2)
  let reads = world.counted.reads.dropFirst(before)
  #expect(!reads.isEmpty)
  #expect(reads.allSatisfy { $0 >= 51 }, "\(reads)")
  world.stop()
}

@Test("HOOK-12: what pages have left is bounded: in rooms, in names, and in records of the log")
func restsAreBounded() {
  var rests = FeedRests()
  func room(_ number: Int) -> RoomID { RoomID(high: 1, low: UInt64(number)) }
  let run = Run(first: 1, count: 1, base: .zero, last: .zero, records: [0])
  for number in 0..<FeedRests.mostRuns {
    rests.keep(FeedRest(names: RoomNames(epoch: Epoch(1)), runs: [run]), of: room(number), at: .zero)
  }
  #expect(rests.rest(of: room(0), at: .zero)?.runs.count == 1)
  #expect(
    rests.rest(of: room(0), at: .zero + FeedRests.keepsRuns)?.runs.count == 0, "the names are there still")
  rests.keep(FeedRest(names: RoomNames(epoch: Epoch(1)), runs: [run]), of: room(0), at: .zero)
  #expect(rests.rest(of: room(1), at: .zero) != nil, "the same room again")
  rests.keep(FeedRest(names: RoomNames(epoch: Epoch(1)), runs: [run]), of: room(99), at: .zero)
  #expect(rests.rest(of: room(1), at: .zero) == nil)
  for number in 0...FeedRests.mostRooms {
    rests.keep(FeedRest(names: RoomNames(epoch: Epoch(1))), of: room(number), at: .zero)
  }
  #expect(rests.rest(of: room(0), at: .zero) == nil)
  #expect(rests.rest(of: room(FeedRests.mostRooms), at: .zero) != nil)
  rests.forget(room(FeedRests.mostRooms))
  #expect(rests.rest(of: room(FeedRests.mostRooms), at: .zero) == nil)
}

@Test("HOOK-8: what is not told wakes nobody, and its cursor is kept all the same")
func strokesCostNothing() throws {
  let world = try SenderWorld()
  try world.start()
  world.make(one)
  world.settle()
  let magix = MagixEvent(
    name: "x", payload: JSONText(unchecked: "{}"),
    raw: JSONText(unchecked: "{\"event\":\"x\",\"payload\":{}}")
  )
  for _ in 0..<100 { world.append([(.member(0), .magix(magix))], to: one) }
  world.settle(.seconds(60))
  #expect(world.transport.types == ["room.created"])
  world.stop()
  let id = try #require(WebhookEndpoint("http://receiver.example/hook?key=secret")).id
  let left = try WebhookCursorFile(folder: world.folder, id: id).read()
  #expect(left.cursors[one]?.revision == 101)
}

@Test("HOOK-6: what is given up is written down beside the cursors, one JSON object a line")
func lossesAreWritten() throws {
  let world = try SenderWorld(Answers.status(503))
  try world.start { $0.retention = .seconds(60) }
  world.make(one)
  world.settle(.seconds(400))
  #expect(world.metric("skipped_total") == 1)
  let names = try FileManager.default.contentsOfDirectory(atPath: world.folder)
  let name = try #require(names.first { $0.hasSuffix(".lost.jsonl") })
  let text = try String(contentsOfFile: world.folder + "/" + name, encoding: .utf8)
  let line = try JSONValue.parse(Array(text.utf8.dropLast()))
  #expect(line["room"]?.string == one.description)
  #expect(line["first"]?.int == 1)
  #expect(line["events"]?.int == 1)
  #expect(line["why"]?.string == "retention")
  world.stop()
}
