import BoardroomHosting
import BoardroomModel
import EventLogModel
import ServerTestKit
import Testing

@testable import BoardroomHTTP
@testable import BoardroomServer

@Suite(.timeLimit(.minutes(15))) struct SpectatingTests {
  private static func settings() -> ServerSettings {
    var settings = ServerSettings()
    settings.spectatorsAbove = 1
    return settings
  }

  @Test(
    "SPECT-4: spectators of another node's room are served by the node to which they come, which asks the owner for what the log has gained"
  )
  func elsewhere() async throws {
    try await TwoNodes.run(middle: Self.settings(), owner: Self.settings()) { nodes in
      let room = try await nodes.room()
      let writer = try await NodeClient(nodes.owner)
      writer.hello(room, by: nodes.owner)
      #expect(await writer.comesIn().contains("\"m\":\"live\""))
      let token = nodes.middle.token(.team, .reader)
      var spectators: [NodeClient] = []
      for _ in 0..<3 {
        let spectator = try await NodeClient(nodes.middle)
        spectator.hello(room, by: nodes.middle, token: token, more: ",\"acceptsSpectating\":true")
        let heard = await spectator.comesIn()
        #expect(heard.contains("\"m\":\"live\""))
        // 2^52 and what follows are numbers of no member.
        #expect(heard.contains("\"member\":45035996273704"), "\(heard.prefix(300))")
        spectators.append(spectator)
      }
      writer.say("for-all-of-them")
      for spectator in spectators {
        #expect(await spectator.hears("for-all-of-them").contains("for-all-of-them"))
      }
      #expect(try await TwoNodes.figure("boardroom_spectators", of: nodes.middle) == 3)
      #expect(try await TwoNodes.figure("boardroom_spectators", of: nodes.owner) == 0)
      #expect(try await TwoNodes.figure("boardroom_members", of: nodes.owner) == 1)
      // A question to the owner takes the place of a pipe for a moment; a pipe would stay.
      var pipes = 1.0
      for _ in 0..<200 where pipes > 0 {
        pipes = try await TwoNodes.figure("boardroom_pipes_open", of: nodes.middle)
      }
      #expect(pipes == 0, "no connection goes on to the owner")
      spectators[0].say("of-a-spectator")
      #expect(await spectators[0].hears("notWritable").contains("notWritable"))
      // A room with fewer members has none: whoever comes is joined to the owner.
      let quiet = try await nodes.room()
      let member = try await NodeClient(nodes.middle)
      member.hello(quiet, by: nodes.middle, token: token, more: ",\"acceptsSpectating\":true")
      #expect(await member.comesIn().contains("\"m\":\"live\""))
      #expect(try await TwoNodes.figure("boardroom_members", of: nodes.owner) == 2)
    }
  }

  @Test(
    "RPL-15, PIPE-1: the watchers of a group come to different nodes and see one place, at the room's owner")
  func replays() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      let writer = try await NodeClient(nodes.owner)
      writer.hello(room, by: nodes.owner)
      await writer.comesIn()
      writer.say("shown")
      await writer.hears("\"shown\"")
      var watchers: [NodeClient] = []
      for server in [nodes.owner, nodes.middle] {
        let watcher = try await NodeClient(server)
        watcher.hello(room, by: server, more: ",\"replay\":{\"group\":\"class\",\"speed\":0.01}")
        #expect(await watcher.comesIn().contains("\"m\":\"live\""))
        watchers.append(watcher)
      }
      #expect(try await TwoNodes.figure("boardroom_replays", of: nodes.owner) == 1)
      #expect(try await TwoNodes.figure("boardroom_replays", of: nodes.middle) == 0)
      watchers[1].socket.sendFrame("{\"m\":\"replay\",\"do\":\"speed\",\"speed\":7}")
      for watcher in watchers {
        #expect(await watcher.hears("\"speed\":7").contains("\"speed\":7"))
      }
    }
  }

  @Test(
    "SPECT-4: what nodes ask for spectators, and what is answered, is the same behind the way between them")
  func messages() throws {
    let room = RoomID.random()
    for question in [
      SpectatingQuestion.takesSpectators(room: room.description),
      .news(room: room.description, after: 7, limit: 9),
    ] {
      #expect(SpectatingQuestion(question.bytes) == question)
      #expect(question.room == room)
    }
    #expect(SpectatingQuestion([1, 2]) == nil)
    var builder = RunBuilder(first: 5)
    for number in 5...9 {
      builder.append(
        Record(kind: 3, time: Timestamp(milliseconds: Int64(number)), actor: 2, body: [UInt8(number)]))
    }
    let taken = builder.takeRun()
    let run = try #require(taken)
    let packed = StoredRun(
      first: 10, count: 1, base: .zero, last: .zero, coding: .lz4, bytes: [1, 2, 3], rawLength: 40)
    let news = LogNews(epoch: Epoch(3), last: 10, sight: .deleted, runs: [StoredRun(run), packed])
    let bytes = try news.bytes { _ throws(LogError) -> Run in run }
    #expect(LogNews(bytes) == news)
    for length in 0..<bytes.count where ![17, 17 + 4 + Self.length(of: bytes)].contains(length) {
      #expect(LogNews(Array(bytes.prefix(length))) == nil, "\(length)")
    }
    #expect(LogNews(Array(bytes.prefix(17))) == LogNews(epoch: Epoch(3), last: 10, sight: .deleted, runs: []))
  }

  /// Of the first message.
  private static func length(of bytes: [UInt8]) -> Int {
    bytes[17..<21].reduce(0) { $0 << 8 | Int($1) }
  }
}
