import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Imports that are cut short. The file is a named pipe, so that the test decides how far the program has come: it
/// reads all of it once, to check it, and then as much as it is given.
@Suite("Command line: imports that are cut short", .serialized)
struct ImportTests {
  private static let count = 9_010
  /// What is given of the second reading: one append of 4,096 events, and more than the program reads at once.
  private static let given = 8_000

  private static let lines: [String] = {
    var builder = RunBuilder(first: 1)
    for number in 1...count {
      let event: Event =
        number == 1
        ? .room(.created(RoomCreated(name: "long")))
        : .magix(MagixEvent(name: "tick", payload: JSONText(unchecked: "\(number)")))
      builder.append(
        Record(
          kind: event.kind, time: Timestamp(milliseconds: SampleLog.start + Int64(number)), actor: 0,
          body: EventCodec.encodeBody(event, counter: 0)))
    }
    guard let run = builder.takeRun() else { return [] }
    return RecordMirror.lines(of: run).map { line in
      String(decoding: line, as: UTF8.self).split(separator: "\n").joined() + "\n"
    }
  }()

  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(Self.lines.joined(), to: "room.jsonl")
    // A program that is killed while it reads must not end the tests.
    signal(SIGPIPE, SIG_IGN)
    #expect(mkfifo(folder.path + "/pipe.jsonl", 0o600) == 0)
  }

  private func run(_ arguments: String...) async throws -> Program.Answer {
    try await Program.run(arguments, in: folder)
  }

  private struct Cut {
    var room: String
    var status: Int32
    var errors: String
  }

  /// An import that ends by a signal after its first append.
  private func cut(_ number: Int32, _ arguments: [String] = []) async throws -> Cut {
    let program = try await StartedProgram(
      Program.url.path, ["import", "pipe.jsonl", "--data", "data"] + arguments, in: folder.path,
      output: StartedProgram.file(folder.path + "/cut.out"),
      errors: StartedProgram.file(folder.path + "/cut.err"))
    let pipe = folder.path + "/pipe.jsonl"
    try await Self.offPool {
      let whole = try Self.writing(pipe)
      try whole.write(contentsOf: Data(Self.lines.joined().utf8))
      try whole.close()
    }
    // It says the uuid between its two readings: before that, the pipe may still be open from the first.
    _ = try await until("the file was checked") { () -> Bool? in
      let said = try folder.text("cut.out") + folder.text("cut.err")
      return said.contains(/[0-9a-f]{32}/) ? true : nil
    }
    let part = try await Self.offPool {
      let part = try Self.writing(pipe)
      try part.write(contentsOf: Data(Self.lines[..<Self.given].joined().utf8))
      return part
    }
    let room = try await until("4,096 events are there") { () -> String? in
      let answer = try await run("verify", "--json", "--quiet")
      guard answer.output.contains("\"revision\":4096,\"of\":\(Self.count)") else { return nil }
      return answer.output.components(separatedBy: "\"room\":\"").last.map { String($0.prefix(32)) }
    }
    program.send(number)
    let status = await program.ended()
    try? part.close()
    let said = try folder.text("cut.out")
    #expect(arguments.contains("--json") || said == room + "\n", "its uuid comes first")
    return Cut(room: room, status: status, errors: try folder.text("cut.err"))
  }

  /// A pipe ends when nobody has it open any more: programs that other tests start meanwhile must not inherit it.
  private static func writing(_ pipe: String) throws -> FileHandle {
    let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Opening a pipe waits for the other side.
  private static func offPool<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Value, any Error>) in
      Thread.detachNewThread { done.resume(with: Result { try work() }) }
    }
  }

  private func expectWhole(_ room: String) async throws {
    for level in ["quick", "full", "deep"] {
      let answer = try await run("verify", "--level", level, "--quiet")
      #expect(answer.status == 0, "\(answer.output)")
      #expect(answer.output.hasSuffix("All is well.\n"), "\(answer.output)")
    }
    #expect(try await run("export", room, "--quiet").output == Self.lines.joined())
    let rooms = try await run("inspect", "--json")
    #expect(rooms.lines.count == 1)
  }

  @Test(
    "IMP-1, IMP-2, IMP-7: after kill -9 the room is not there, verify says why, and the same file goes on")
  func killed() async throws {
    let cut = try await cut(SIGKILL)
    for level in ["quick", "full", "deep"] {
      let answer = try await run("verify", "--level", level, "--quiet")
      #expect(answer.status == 1, "\(level): \(answer.output)")
      #expect(
        answer.output.contains("The import of \(cut.room) is not finished: 4096 of 9010 events are there."))
      #expect(answer.output.contains("boardroom import --discard \(cut.room)"))
      #expect(answer.output.hasSuffix("Nothing is damaged; an import is not finished.\n"))
    }
    let json = try await run("verify", "--json", "--quiet")
    #expect(json.output.contains("\"unfinished\":[{\"room\":\"\(cut.room)\",\"revision\":4096,\"of\":9010}]"))
    for words in [["export", cut.room], ["replay", cut.room], ["inspect", cut.room]] {
      let answer = try await Program.run(words, in: folder)
      #expect(answer.status == 66, "\(words): \(answer.errors)")
      #expect(answer.errors.contains("is not finished"), "\(words): \(answer.errors)")
    }
    #expect(try await run("inspect", "--json").output == "")

    let again = try await run("import", "room.jsonl", "--data", "data")
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output == cut.room + "\n", "\(again.errors)")
    #expect(again.errors.contains("9010 events imported into data."))
    try await expectWhole(cut.room)
  }

  @Test(
    "IMP-2, IMP-7: Ctrl-C ends an import with status 130 and says what helps; so does --json",
    arguments: [false, true])
  func interrupted(json: Bool) async throws {
    let cut = try await cut(SIGINT, json ? ["--json", "--room", SampleLog.room] : [])
    #expect(cut.status == 130)
    #expect(cut.errors.contains("boardroom import --discard \(cut.room)"))
    if json {
      #expect(cut.errors.contains("Importing into \(cut.room)."), "its uuid comes first")
      #expect(try folder.text("cut.out").isEmpty)
    }
    #expect(try await run("verify", "--quiet").status == 1)
    let again = try await run("import", "room.jsonl", "--data", "data", "--room", cut.room)
    #expect(again.status == 0, "\(again.errors)")
    try await expectWhole(cut.room)
  }

  @Test(
    "IMP-7: one signal ends an import that waits for a pipe into which nobody writes",
    arguments: [SIGINT, SIGTERM])
  func waitsForItsFile(signal: Int32) async throws {
    let program = try await StartedProgram(
      Program.url.path, ["import", "pipe.jsonl"], in: folder.path,
      output: StartedProgram.file(folder.path + "/waits.out"))
    // It stays open to the end: a pipe whose writers have gone is a file at its end.
    let descriptor = try await until("the pipe is open") { () -> Int32? in
      let descriptor = open(folder.path + "/pipe.jsonl", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      return descriptor >= 0 ? descriptor : nil
    }
    defer { close(descriptor) }
    program.send(signal)
    let status = await program.ended()
    let said = try folder.text("waits.out")
    #expect(status == 130, "\(said)")
  }

  @Test("IMP-4: an unfinished import is given up with --discard; a whole room is not")
  func discarded() async throws {
    let cut = try await cut(SIGKILL)
    let done = try await run("import", "--discard", cut.room)
    #expect(done.status == 0, "\(done.errors)")
    #expect(try await run("verify", "--quiet").status == 0)
    let again = try await run("import", "room.jsonl", "--room", cut.room)
    #expect(again.status == 66, "\(again.errors)")
    #expect(again.errors.contains("was deleted"), "\(again.errors)")
    let other = try await run("import", "room.jsonl", "--room", SampleLog.room)
    #expect(other.status == 0, "\(other.errors)")
    let refused = try await run("import", "--discard", SampleLog.room)
    #expect(refused.status == 73, "\(refused.errors)")
    #expect(refused.errors.contains("is whole"), "\(refused.errors)")
    #expect(try await run("import", "--discard", cut.room, "room.jsonl").status == 64)
    #expect(try await run("import").status == 64)
  }

  @Test("IMP-2: another file of as many events begins a room of its own, or is refused under the same uuid")
  func otherFile() async throws {
    let cut = try await cut(SIGKILL)
    var lines = Self.lines
    lines.swapAt(20, 21)
    let changed = lines.enumerated().map { index, line in
      line.replacingOccurrences(
        of: #""rev":[0-9]+"#, with: "\"rev\":\(index + 1)", options: .regularExpression)
    }
    try folder.write(changed.joined(), to: "other.jsonl")
    let refused = try await run("import", "other.jsonl", "--data", "data", "--room", cut.room)
    #expect(refused.status == 65, "\(refused.errors)")
    #expect(refused.errors.contains("Revision 21"), "\(refused.errors)")
    let own = try await run("import", "other.jsonl", "--data", "data")
    #expect(own.status == 0, "\(own.errors)")
    #expect(own.output != cut.room + "\n", "\(own.errors)")
    #expect(try await run("verify", "--quiet").output.contains("The import of \(cut.room) is not finished"))
  }

  @Test("IMP-5: verify knows a first start that was cut short, and says what helps")
  func firstStart() async throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data", withIntermediateDirectories: true)
    try folder.write("", to: "data/LOCK")
    for file in ["data/LOCK", "data/log.db"] {
      try folder.write("", to: file)
      let answer = try await run("verify", "--quiet")
      #expect(answer.status == 1, "\(answer.output)")
      #expect(answer.output.contains("boardroom serve --data data"), "\(answer.output)")
      #expect(try await run("verify", "--json").output == "{\"unstarted\":true}\n")
      let inspect = try await run("inspect")
      #expect(inspect.status == 66, "\(inspect.errors)")
      #expect(inspect.errors.contains("was cut short"), "\(inspect.errors)")
    }
    let server = LiveServer(in: folder)
    try await server.start()
    #expect(try await server.interrupt() == 0)
    #expect(try await run("verify", "--quiet").status == 0)
  }
}
