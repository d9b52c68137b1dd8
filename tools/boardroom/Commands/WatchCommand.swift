import ArgumentParser
import BoardroomClient
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation
import Synchronization

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Follow a live room in the terminal.",
    discussion: """
      Joins read-only and prints every event as it comes, one a line, also those that an outage kept back.
      Changes of the connection go to standard error. At the end the mirror's revision and state hash are
      told there, too. A server that does not answer ends it with status 69; --wait waits for one.

      Examples:
        boardroom watch ROOM
        boardroom watch ROOM --server wss://board.example.com
        boardroom watch ROOM --kind magix --json
        boardroom watch ROOM --until-idle 5 > session.jsonl
      """)

  @OptionGroup var named: RoomArgument
  @OptionGroup var live: LiveOptions
  @OptionGroup var filter: FilterOptions
  @Flag(help: "Wait for a server that does not answer yet, instead of ending.") var wait = false
  @Option(
    help: .duration("End when nothing has happened for so long, such as 5s. A number alone is in seconds."))
  var untilIdle: TimeSpan?
  @Flag(help: "Machine-readable output.") var json = false
  @Flag(help: "Nothing on standard error.") var quiet = false

  private var room: RoomID { named.id }

  func validate() throws {
    if let untilIdle, untilIdle.duration() <= .zero {
      throw ValidationError("--until-idle is longer than no time.")
    }
  }

  func run() async throws {
    try await answering {
      let chosen = try filter.filter()
      let token = try live.roomToken(for: room, role: .reader)
      let sdk = try live.sdk()
      try await live.reach(waiting: wait, quiet: quiet)
      var config = WhiteRoomConfig(uuid: room.description, roomToken: token)
      // No uid, because a second watcher with the same uid would take its place.
      config.isWritable = false
      let joined = try await sdk.joinRoom(config)
      if !quiet { Terminal.note("In the room as member \(joined.roomMemberId ?? 0); Ctrl-C leaves it.") }
      do {
        try await untilInterrupted { try await follow(joined, chosen) }
      } catch is CancellationError {
        try await end(joined)
        throw ExitCode(ExitStatus.interrupted.rawValue)
      }
      try await end(joined)
    }
  }

  private func follow(_ room: WhiteRoom, _ filter: EventFilter) async throws {
    let (json, quiet, limit) = (json, quiet, untilIdle?.duration())
    let silence = Silence()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await event in room.events {
          silence.end()
          if filter.passes(event) { Terminal.line(json ? event.jsonLine : event.line, isJSON: json) }
        }
        try Task.checkCancellation()
      }
      group.addTask {
        for await phase in room.phases where !quiet { Terminal.note("The connection is \(phase.name).") }
        // This task never ends first; the end of the events decides.
        try await Task.sleep(for: .seconds(3_600 * 24 * 365))
      }
      group.addTask {
        while limit.map({ silence.length < $0 }) ?? true {
          try await Task.sleep(for: .milliseconds(50))
        }
      }
      // The watch ends when the first of the tasks ends: the room is closed, or it was idle for long enough.
      try await group.next()
      group.cancelAll()
    }
  }

  private func end(_ room: WhiteRoom) async throws {
    let mirror = Moment(await room.getBoard())
    let error = room.disconnectedBySelf ? nil : room.error
    await room.disconnect()
    if !quiet {
      Terminal.note("At revision \(mirror.revision), state \(Text.hex(mirror.stateHash)).")
    }
    if let error { throw error }
  }
}

/// The time since the last event.
private final class Silence: Sendable {
  private let last = Mutex(ContinuousClock.now)
  var length: Duration { last.withLock { $0.duration(to: .now) } }
  func end() { last.withLock { $0 = .now } }
}
