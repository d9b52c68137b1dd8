import BoardroomAccess
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import Logging
import NIOPosix
import ServerTestKit
import StorageTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomHTTP
@testable import BoardroomHosting
@testable import BoardroomServer

private let day = ImageSweep.patience

/// Rooms on disk, with images that were put two days ago.
private struct Gallery {
  let host: RoomsOnDisk

  init() throws { host = try RoomsOnDisk() }

  func put(_ last: UInt8, in room: RoomID) async throws -> ImageName {
    let name = try await host.images.put([0x89, 0x50, last], kind: .png, in: room)
    try age(name, in: room)
    return name
  }

  func age(_ name: ImageName, in room: RoomID) throws {
    let time = Date(
      timeIntervalSince1970: Double((host.clock.now + (Duration.zero - day * 2)).milliseconds) / 1_000)
    try FileManager.default.setAttributes(
      [.modificationDate: time], ofItemAtPath: "\(host.folder.path)/images/\(room)/\(name)")
  }

  func show(_ text: String, in log: LogID) async throws {
    let event = Event.magix(MagixEvent(name: "image", payload: JSONText(unchecked: "\"\(text)\"")))
    try await host.store.append(
      [
        Record(
          kind: event.kind, time: host.clock.now, actor: Actor.server.code,
          body: EventCodec.encodeBody(event, counter: 0))
      ], to: log, expecting: nil, epoch: nil)
  }

  func sweep(over store: (any LogStore)? = nil, bytes: Int = ImageSweep.roundBytes) -> ImageSweep {
    let clock = host.clock
    return ImageSweep(
      store: store ?? host.store, images: host.images, inFolder: host.folder.path, clock: { clock.now },
      logger: Logger(label: "sweep") { _ in SwiftLogNoOpLogHandler() }, roundBytes: bytes)
  }

  func left(_ room: RoomID) throws -> Set<String> {
    Set(try PlainFile.names(in: "\(host.folder.path)/images/\(room)"))
  }
}

/// The images of a gallery as several servers have them.
private final class SharedImages: ImagePlace {
  struct State {
    var isOurs = true
    var unsealed: [[UInt8]] = []
    /// Why what is not sealed cannot be read at the end of a pass.
    var failure: ImageFailure?
    /// What was asked of it, in its order, beside images.
    var calls: [String] = []
  }
  let folder: ImageFolder
  let state = Mutex(State())

  init(_ folder: ImageFolder) { self.folder = folder }

  var description: String { folder.description }
  var isThere: Bool { folder.isThere }
  var isShared: Bool { true }
  func path(of name: ImageName, in room: RoomID) -> String { folder.path(of: name, in: room) }
  func put(_ bytes: [UInt8], as name: ImageName, in room: RoomID, _ limits: ImageLimits) -> ImageFailure? {
    folder.put(bytes, as: name, in: room, limits)
  }
  func read(_ name: ImageName, in room: RoomID) -> Result<[UInt8]?, ImageFailure> {
    folder.read(name, in: room)
  }
  func about(_ name: ImageName, in room: RoomID) -> Result<ListedImage?, ImageFailure> {
    folder.about(name, in: room)
  }
  func page(after last: String?, limit: Int) -> Result<[ListedImage], ImageFailure> {
    folder.page(after: last, limit: limit)
  }
  func rooms() -> Result<[RoomID], ImageFailure> { folder.rooms() }
  func remove(_ name: ImageName, of room: RoomID) -> ImageFailure? { folder.remove(name, of: room) }
  func removeAll(of room: RoomID) -> ImageFailure? { folder.removeAll(of: room) }

  func isOurTurn() -> Result<Bool, ImageFailure> { .success(state.withLock { $0.isOurs }) }
  func readUnsealed(_ take: ([UInt8]) -> Void) -> ImageFailure? {
    let (pieces, failure) = state.withLock { state in
      state.calls.append("unsealed")
      return (state.unsealed, state.calls.count > 1 ? state.failure : nil)
    }
    for piece in pieces { take(piece) }
    return failure
  }
  func setAside(
    _ images: Set<String>, unlessPutAfter time: Timestamp
  ) -> Result<Set<String>, ImageFailure> {
    state.withLock { $0.calls.append("aside") }
    return folder.setAside(images, unlessPutAfter: time)
  }
  func bringBack(_ images: Set<String>?) -> ImageFailure? { folder.bringBack(images) }
  func removeAside(_ images: Set<String>) -> Result<Set<String>, ImageFailure> {
    state.withLock { $0.calls.append("remove") }
    return folder.removeAside(images)
  }
}

@Suite("LOG-32: images that nothing names")
struct ImageSweepTests {
  @Test(
    "LOG-32: of several nodes one looks for images; what others have committed and not sealed counts, also what comes while an image is set aside"
  )
  func shared() async throws {
    let gallery = try Gallery()
    let host = gallery.host
    let room = try await host.room()
    var names: [ImageName] = []
    for number in 1...3 as ClosedRange<UInt8> { names.append(try await gallery.put(number, in: room)) }
    let place = SharedImages(ImageFolder(in: host.folder.path))
    let images = ImageStore(in: place, limits: ImageLimits(bytes: .max, count: .max), threads: .singleton)
    let late = Mutex<[UInt8]>([])
    func sweep() -> ImageSweep {
      ImageSweep(
        store: host.store, images: images, inFolder: host.folder.path,
        clock: { [clock = host.clock] in clock.now },
        logger: Logger(label: "sweep") { _ in SwiftLogNoOpLogHandler() }
      ) { duration in
        guard duration == ImageSweep.settling else { return }
        // A member of another node draws with one of them in this moment.
        place.state.withLock { state in
          state.calls.append("settles")
          state.unsealed.append(late.withLock { $0 })
        }
      }
    }
    // Another node's turn.
    place.state.withLock { $0.isOurs = false }
    #expect(try await sweep().round() == 0)
    #expect(place.state.withLock { $0.calls } == [])
    #expect(try PlainFile.read("\(host.folder.path)/\(SweepRecord.fileName)") == nil)

    place.state.withLock { state in
      state.isOurs = true
      state.unsealed = [Array("an element with \(names[0])".utf8)]
    }
    late.withLock { $0 = Array("\(names[1])".utf8) }
    #expect(try await sweep().round() == 0)
    host.clock.advance(by: day)
    place.state.withLock { $0.calls = [] }
    #expect(try await sweep().round() == 1)
    #expect(try gallery.left(room) == ["\(names[0])", "\(names[1])"])
    // The frames are read before the pass, at its end, and once more when the images are out of sight and all is settled.
    #expect(
      place.state.withLock { $0.calls } == ["unsealed", "unsealed", "aside", "settles", "unsealed", "remove"])
    try await host.end()
  }

  @Test(
    "LOG-32: what no log names goes after two passes a day apart; what a room, another room or a channel names stays"
  )
  func passes() async throws {
    let gallery = try Gallery()
    let host = gallery.host
    let (room, other) = (try await host.room(), try await host.room())
    let channel = LogID(high: 9, low: 9)
    _ = try await RoomOpening.create(
      channel, with: .space(.created(SpaceName.channel(.signaling, "lobby"))), in: host.store,
      at: host.clock.now)
    var names: [ImageName] = []
    for number in 1...5 as ClosedRange<UInt8> { names.append(try await gallery.put(number, in: room)) }
    try await gallery.show("/v5/rooms/\(room)/images/\(names[0])", in: room)
    try await gallery.show("https://elsewhere/v5/rooms/\(room)/images/\(names[1])?x", in: other)
    // As some programs write JSON.
    try await gallery.show("\\/v5\\/rooms\\/\(room)\\/images\\/\(names[2])", in: channel)
    let sweep = gallery.sweep()
    #expect(try await sweep.round() == 0)
    // A round an hour later is no second pass.
    host.clock.advance(by: .seconds(3_600))
    #expect(try await sweep.round() == 0)
    #expect(try gallery.left(room).count == 5)
    // One of the two that are left is put once more.
    _ = try await host.images.put([0x89, 0x50, 5], kind: .png, in: room)
    host.clock.advance(by: day)
    #expect(try await sweep.round() == 1)
    #expect(try gallery.left(room) == Set([0, 1, 2, 4].map { "\(names[$0])" }))
    // What goes, makes room.
    #expect(try await host.images.image(names[3], in: room) == nil)
    #expect(try await host.images.put([0x89, 0x50, 4], kind: .png, in: room) == names[3])
    try await host.end()
  }

  @Test(
    "LOG-32: an image goes with the history that named it, and stays while the state or a kept event does")
  func history() async throws {
    let gallery = try Gallery()
    let host = gallery.host
    let room = try await host.room()
    let (gone, shown, kept) = (
      try await gallery.put(1, in: room), try await gallery.put(2, in: room),
      try await gallery.put(3, in: room)
    )
    try await gallery.show("\(gone)", in: room)
    let patch = JSONText(unchecked: "{\"image\":\"/v5/rooms/\(room)/images/\(shown)\"}")
    try await host.store.append(
      [
        Record(
          kind: EventKind.globalState.rawValue, time: host.clock.now, actor: Actor.server.code,
          body: [0] + Array(patch.bytes))
      ], to: room, expecting: nil, epoch: nil)
    try await host.write(300, to: room)
    try await gallery.show("\(kept)", in: room)
    try await host.store.seal()
    let sweep = gallery.sweep()
    for _ in 1...3 {
      #expect(try await sweep.round() == 0)
      host.clock.advance(by: day)
    }
    #expect(try await host.round(keeping: HistoryKeeping(events: 50)).events > 0)
    #expect(try await sweep.round() == 0)
    host.clock.advance(by: day)
    #expect(try await sweep.round() == 1)
    #expect(try gallery.left(room) == ["\(shown)", "\(kept)"])
    try await host.end()
  }

  @Test("LOG-32: a round reads so much and no more; a pass goes on after a restart, and comes to the same")
  func bounded() async throws {
    let gallery = try Gallery()
    let host = gallery.host
    var rooms: [RoomID] = []
    for _ in 1...3 {
      rooms.append(try await host.room())
      try await host.write(400, to: rooms[rooms.count - 1])
    }
    let name = try await gallery.put(7, in: rooms[0])
    let last = try #require(rooms.max())
    let shown = try await gallery.put(8, in: rooms[0])
    try await gallery.show("\(shown)", in: last)
    try await host.store.seal()
    var rounds = 0
    while try gallery.left(rooms[0]).count == 2, rounds < 100 {
      // Each is another start of the server.
      _ = try await gallery.sweep(bytes: 100 << 10).round()
      rounds += 1
      host.clock.advance(by: .seconds(7_200))
    }
    #expect(rounds > 12, "\(rounds)")
    #expect(rounds < 100, "\(rounds)")
    #expect(try gallery.left(rooms[0]) == ["\(shown)"])
    #expect(try !gallery.left(rooms[0]).contains("\(name)"))
    try await host.end()
  }

  @Test("LOG-32: what is named while a pass is under way stays, also in a log that was read before")
  func meanwhile() async throws {
    let gallery = try Gallery()
    let host = gallery.host
    var rooms: [RoomID] = []
    for _ in 1...3 { rooms.append(try await host.room()) }
    rooms.sort()
    for room in rooms { try await host.write(300, to: room) }
    try await host.store.seal()
    let name = try await gallery.put(9, in: rooms[0])
    let sweep = gallery.sweep(bytes: 100 << 10)
    func reads(_ room: RoomID) throws -> Bool {
      let text = String(decoding: try PlainFile.read("\(host.folder.path)/SWEEP") ?? [], as: UTF8.self)
      return SweepRecord(text)?.pass?.at?.log == room
    }
    // The first pass finds it named nowhere.
    var rounds = 0
    repeat {
      #expect(try await sweep.round() == 0)
      rounds += 1
    } while try reads(rooms[0]) || reads(rooms[1]) || reads(rooms[2])
    #expect(rounds > 2)
    host.clock.advance(by: day)
    // In the second one somebody shows it in a room that was read already.
    repeat { #expect(try await sweep.round() == 0) } while try !reads(rooms[1])
    try await gallery.show("\(name)", in: rooms[0])
    repeat { #expect(try await sweep.round() == 0) } while try reads(rooms[1]) || reads(rooms[2])
    #expect(try gallery.left(rooms[0]) == ["\(name)"])
    try await host.end()
  }

  @Test("LOG-32: while a log cannot be read every image stays")
  func unreadable() async throws {
    let gallery = try Gallery()
    let host = gallery.host
    let room = try await host.room()
    try await host.write(100, to: room)
    try await host.store.seal()
    let name = try await gallery.put(1, in: room)
    let store = HoledStore(host.store)
    store.damage(try #require(try await host.store.spans(of: room, after: 30, limit: 1).first))
    let sweep = gallery.sweep(over: store)
    for _ in 1...4 {
      #expect(try await sweep.round() == 0)
      host.clock.advance(by: day)
    }
    #expect(try gallery.left(room) == ["\(name)"])
    try await host.end()
  }

  @Test("LOG-32: while the database does not answer every image stays, and the warning says what failed")
  func silent() async throws {
    let gallery = try Gallery()
    let host = gallery.host
    let room = try await host.room()
    let name = try await gallery.put(1, in: room)
    let place = SharedImages(ImageFolder(in: host.folder.path))
    let images = ImageStore(in: place, limits: ImageLimits(bytes: .max, count: .max), threads: .singleton)
    let log = KeptLog()
    let sweep = ImageSweep(
      store: host.store, images: images, inFolder: host.folder.path,
      clock: { [clock = host.clock] in clock.now }, logger: log.logger)
    place.state.withLock { $0.failure = .unavailable }
    for _ in 1...2 {
      #expect(try await sweep.round() == 0)
      host.clock.advance(by: day)
    }
    #expect(try gallery.left(room) == ["\(name)"])
    #expect(log.lines.contains { $0.metadata["what"] == "\(ImageFailure.unavailable)" })
    try await host.end()
  }

  @Test("LOG-32: images that a kill left set aside come back with the next pass")
  func killed() async throws {
    let gallery = try Gallery()
    let host = gallery.host
    let room = try await host.room()
    let name = try await gallery.put(1, in: room)
    try await gallery.show("\(name)", in: room)
    let now = host.clock.now
    let aside = try await host.images.onPlace {
      try $0.setAside(["\(room)/\(name)"], unlessPutAfter: now).get()
    }
    #expect(aside == ["\(room)/\(name)"])
    #expect(try await host.images.image(name, in: room) == nil)
    #expect(try await gallery.sweep().round() == 0)
    #expect(try await host.images.image(name, in: room) == [0x89, 0x50, 1])
    // One that was put since is not taken.
    let before = now + (Duration.zero - day * 3)
    let fresh = try await host.images.onPlace {
      try $0.setAside(["\(room)/\(name)"], unlessPutAfter: before).get()
    }
    #expect(fresh == [])
    #expect(try gallery.left(room) == ["\(name)"])
    try await host.end()
  }

  @Test("LOG-32: a name is found wherever its 64 digits stand, and a digit less is none")
  func names() {
    var generator = SeededGenerator(seed: 32)
    let digits = Array("0123456789abcdef".utf8)
    for _ in 0..<300 {
      let digest = (0..<64).map { _ in digits[Int.random(in: 0..<16, using: &generator)] }
      let image = "\(RoomID(high: 1, low: 1))/\(String(decoding: digest, as: UTF8.self)).png"
      func noise() -> [UInt8] {
        (0..<Int.random(in: 0...150, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
      }
      func isNamed(_ bytes: [UInt8]) -> Bool {
        var marks = NamedMarks([image])
        marks.strike(bytes)
        return marks.left.isEmpty
      }
      let (before, after) = (noise(), noise())
      #expect(isNamed(before + digest + after))
      #expect(isNamed(digits + digest + digits))
      #expect(!isNamed(before + digest.dropLast() + [0x67] + after))
      #expect(!isNamed(before + [0x67] + digest.dropFirst() + after))
    }
  }

  @Test("LOG-32: the file is read as it was written, and a part of it is none")
  func record() {
    var record = SweepRecord()
    record.written = Timestamp(milliseconds: 9)
    record.ended = Timestamp(milliseconds: 7)
    record.reached = "a/b"
    record.unnamed = ["c/d", "e/f"]
    record.pass = .init(
      begun: Timestamp(milliseconds: 8), at: .init(log: LogID(high: 1, low: 2), revision: 5), left: ["c/d"])
    #expect(SweepRecord(record.text) == record)
    #expect(SweepRecord(SweepRecord().text) == SweepRecord())
    for end in record.text.indices.dropLast() where end > record.text.startIndex {
      #expect(SweepRecord(String(record.text[..<end])) == nil || record.text[end...] == "\n")
    }
  }
}
