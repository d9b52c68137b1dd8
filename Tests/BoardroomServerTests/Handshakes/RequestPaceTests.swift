import EventLogModel
import NIOCore
import NIOEmbedded
import ServerTestKit
import Testing

@testable import BoardroomServer

private func second(_ number: Double) -> NIODeadline { .uptimeNanoseconds(UInt64(1e12 + number * 1e9)) }

/// A pace whose answers an expectation can ask for.
private final class Paced {
  private var pace: RequestPace
  init(_ times: RequestTimes) { pace = RequestPace(times) }

  var isSated: Bool { pace.isSated }
  func cameBytes(at now: NIODeadline) { pace.cameBytes(at: now) }
  func cameHead(at now: NIODeadline) { pace.cameHead(at: now) }
  func cameBody(_ count: Int) -> Bool { pace.cameBody(count) }
  func cameEnd() -> Bool { pace.cameEnd() }
  func held(at now: NIODeadline) { pace.held(at: now) }
  func wanted(at now: NIODeadline) { pace.wanted(at: now) }
  func beganAnswer() -> Bool { pace.beganAnswer() }
  func endedAnswer(at now: NIODeadline) -> Bool { pace.endedAnswer(at: now) }
  func verdict(at now: NIODeadline, waiting: Int, gone: Int) -> RequestPace.Verdict {
    pace.verdict(at: now, waiting: waiting, gone: gone)
  }
}

/// The decisions, in a time of the test's own.
@Suite struct RequestPaceTests {
  private func pace(_ change: (inout RequestTimes) -> Void = { _ in }) -> Paced {
    var times = RequestTimes()
    times.rate = 1_000
    change(&times)
    return Paced(times)
  }

  @Test(
    "DESC-4: a head that drips is cut after 10 s, counted from its first byte; silence between requests is not"
  )
  func head() {
    let pace = pace()
    #expect(pace.verdict(at: second(1_000), waiting: 0, gone: 0) == .rests)
    pace.cameBytes(at: second(0))
    for at in 1...9 {
      pace.cameBytes(at: second(Double(at)))
      #expect(pace.verdict(at: second(Double(at)), waiting: 0, gone: 0) == .goesOn)
    }
    #expect(pace.verdict(at: second(10), waiting: 0, gone: 0) == .tooSlow)
  }

  @Test(
    "DESC-4: a body that makes less than the rate is cut after the time of a head; one that makes it goes on")
  func rate() {
    for (rate, verdict) in [(0.5, RequestPace.Verdict.tooSlow), (900, .tooSlow), (1_100, .goesOn)] {
      let pace = pace()
      pace.cameBytes(at: second(0))
      pace.cameHead(at: second(0))
      var (last, bytes) = (RequestPace.Verdict.goesOn, 0.0)
      for at in 1...119 where last == .goesOn {
        bytes += rate
        _ = pace.cameBody(Int(bytes))
        bytes -= Double(Int(bytes))
        last = pace.verdict(at: second(Double(at)), waiting: 0, gone: 0)
        if at < 10 { #expect(last == .goesOn) }
      }
      #expect(last == verdict, "\(rate) bytes a second")
    }
  }

  @Test(
    "DESC-4: a body ends within two minutes, however fast it comes, and not sooner for a server that does not read"
  )
  func absolute() {
    let pace = pace()
    pace.cameHead(at: second(0))
    _ = pace.cameBody(1 << 30)
    #expect(pace.verdict(at: second(119), waiting: 0, gone: 0) == .goesOn)
    #expect(pace.verdict(at: second(120), waiting: 0, gone: 0) == .tooSlow)
    pace.held(at: second(20))
    #expect(pace.verdict(at: second(900), waiting: 0, gone: 0) == .goesOn)
    pace.wanted(at: second(520))
    #expect(pace.verdict(at: second(619), waiting: 0, gone: 0) == .goesOn)
    #expect(pace.verdict(at: second(620), waiting: 0, gone: 0) == .tooSlow)
  }

  @Test(
    "DESC-5: what comes after the answer is thrown away, up to 256 KiB and for 2 s; then the connection is over"
  )
  func drain() {
    let pace = pace()
    pace.cameHead(at: second(0))
    #expect(pace.cameBody(100))
    #expect(pace.beganAnswer(), "it says that the connection closes")
    #expect(pace.endedAnswer(at: second(1)))
    #expect(!pace.cameBody(200 << 10))
    #expect(!pace.isSated)
    #expect(!pace.cameBody(57 << 10))
    #expect(pace.isSated)
    #expect(pace.verdict(at: second(2.9), waiting: 0, gone: 0) == .goesOn)
    #expect(pace.verdict(at: second(3), waiting: 0, gone: 0) == .over)
    #expect(pace.cameEnd(), "or at once, when the body has ended")
  }

  @Test("DESC-5: an answer to a whole request keeps the connection, whatever of the next one has come")
  func whole() {
    let pace = pace()
    for _ in 0..<3 {
      pace.cameBytes(at: second(0))
      pace.cameHead(at: second(0))
      #expect(!pace.cameEnd())
      #expect(!pace.beganAnswer())
      #expect(!pace.endedAnswer(at: second(0)))
      #expect(pace.verdict(at: second(60), waiting: 0, gone: 0) == .rests)
    }
    // Two at once: the second's body is still to come when the first is answered.
    pace.cameHead(at: second(60))
    #expect(!pace.cameEnd())
    pace.cameHead(at: second(60))
    #expect(!pace.beganAnswer())
    #expect(!pace.endedAnswer(at: second(61)))
  }

  @Test(
    "DESC-4: an answer that is read slower than the rate ends with the connection; one that is read is not cut"
  )
  func reading() {
    for (rate, verdict) in [(0, RequestPace.Verdict.over), (900, .over), (1_100, .goesOn)] {
      let pace = pace()
      pace.cameHead(at: second(0))
      _ = pace.cameEnd()
      var last = RequestPace.Verdict.goesOn
      for at in 0...600 where last == .goesOn {
        last = pace.verdict(at: second(Double(at)), waiting: 1 << 20, gone: rate * at)
      }
      #expect(last == verdict, "\(rate) bytes a second")
    }
  }

  // MARK: On a socket

  @Test("DESC-4: a request that does not come in time is answered 408 and closed: its head, or its body")
  func slow() async throws {
    var settings = ServerSettings()
    settings.requests.head = .milliseconds(200)
    settings.requests.rate = 1 << 20
    try await RunningServer.with(settings) { server in
      let half =
        "POST /v5/rooms HTTP/1.1\r\nHost: a\r\ntoken: \(server.admin)\r\nContent-Length: 1000\r\n\r\n{"
      for start in ["GET /healthz HTTP/1.1\r\nHost:", half] {
        let socket = try #require(RawSocket(port: server.port))
        socket.send(start)
        let answer = await socket.receive(until: nil)
        #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
        #expect(answer.contains("\"code\":\"timeout\""))
      }
    }
  }

  @Test(
    "DESC-5: a body that nobody reads is not swallowed: the answer says close, and the connection is closed")
  func endless() async throws {
    try await RunningServer.with { server in
      for (token, length) in [
        ("nobody", "Content-Length: 4000000000"), ("nobody", "Transfer-Encoding: chunked"),
      ] {
        let socket = try #require(RawSocket(port: server.port))
        socket.send("POST /v5/rooms HTTP/1.1\r\nHost: a\r\ntoken: \(token)\r\n\(length)\r\n\r\n")
        let answer = await socket.receive(until: "}").lowercased()
        #expect(answer.hasPrefix("http/1.1 401 "), "\(answer)")
        #expect(answer.contains("\r\nconnection: close\r\n"), "\(answer)")
        // Only a connection that the server has closed takes so much without anybody reading it.
        let piece = [UInt8](repeating: 0x20, count: 64 << 10)
        for _ in 0..<16 {
          if length.hasPrefix("T") { socket.send("10000\r\n") }
          socket.send(piece)
          if length.hasPrefix("T") { socket.send("\r\n") }
        }
        #expect(await socket.receive().isEmpty)
      }
    }
  }
}

@Suite struct FramePaceTests {
  private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_000_000 + milliseconds) }

  @Test(
    "DESC-6: pings, pongs and empty fragments are taken at ten a second; a flood of them ends the connection")
  func frames() {
    var steady = FramePace()
    let slow = (0..<2_000).map { steady.countFrame(at: at(Int64($0) * 100)) }
    #expect(slow.allSatisfy { $0 == .taken })
    var flood = FramePace()
    let verdicts = (0..<1_100).map { _ in flood.countFrame(at: at(0)) }
    #expect(verdicts.count { $0 == .taken } == 40)
    #expect(verdicts.count { $0 == .ignored } == 1_000)
    #expect(verdicts.last == .flood)
    var patient = FramePace()
    for _ in 0..<900 { _ = patient.countFrame(at: at(0)) }
    let later = (0..<900).map { _ in patient.countFrame(at: at(10_000)) }
    #expect(later.first == .taken, "who stops is forgiven")
    #expect(!later.contains(.flood), "who stops is forgiven")
  }
}
