import BoardroomCodec
import BoardroomModel
import Testing

@testable import BoardroomConformance

@Suite struct JudgeTests {
  static let timeline = GoldenTimeline(
    "T", "a test", .white, steps: [], from: 100, until: 130,
    expected: [
      .local: [
        .at(104, .phase(.reconnecting)), .at(110, .disconnect("*45 s*")),
        .allowed(.committable(false), 104...105), .often(.saw(.attempts, "*"), atLeast: 2, 105...120),
      ],
      .remote: [],
    ])
  static let right: [Transcript.Line] = [
    .init(99, .kicked("before it begins")), .init(103.8, .phase(.reconnecting)),
    .init(104, .committable(false)), .init(106, .saw(.attempts, "some")),
    .init(110.3, .disconnect("gave up after 45 s of it")), .init(119, .saw(.attempts, "none")),
  ]

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var words: String
    var change: @Sendable (inout [Transcript.Line]) -> Void

    init(
      _ name: String, _ words: String, _ change: @escaping @Sendable (inout [Transcript.Line]) -> Void
    ) {
      (testDescription, self.words, self.change) = (name, words, change)
    }
  }

  static let due = "expected firePhaseChanged reconnecting at 104 ± 0.3"

  static let cases: [Case] = [
    Case("missing", "second 110.3: \(due), heard fireDisconnectWithError") { $0.remove(at: 1) },
    Case(
      "last one missing", "second 110.3: expected fireDisconnectWithError *45 s* at 110 ± 0.3, heard nothing"
    ) {
      $0.remove(at: 4)
    },
    Case("too late", "second 104.4: \(due), heard firePhaseChanged reconnecting") { $0[1].second = 104.4 },
    Case("twice", "heard firePhaseChanged reconnecting") { $0.insert($0[1], at: 2) },
    Case("another", "heard firePhaseChanged connected") { $0[1].heard = .phase(.connected) },
    Case("in another order", "\(due), heard fireDisconnectWithError") { $0.swapAt(1, 4) },
    Case("allowed, but not then", "second 107: expected fireDisconnectWithError") { $0[2].second = 107 },
    Case("not often enough", "2 times or more saw attempts * from 105 to 120, heard 1 times") {
      $0.removeLast()
    },
    Case("too much", "second 125: expected nothing, heard fireBeingAbleToCommitChange true") {
      $0.append(.init(125, .committable(true)))
    },
  ]

  @Test(
    "CONF-1: what is heard and not expected is as wrong as what is expected and not heard", arguments: cases)
  func differences(_ one: Case) {
    #expect(Judge().difference(in: Transcript([.local: Self.right]), from: Self.timeline) == nil)
    var lines = Self.right
    one.change(&lines)
    let difference = Judge().difference(in: Transcript([.local: lines]), from: Self.timeline)
    #expect(
      difference.map { "\($0)".contains(one.words) } == true, "\(difference.map { "\($0)" } ?? "nothing")")
  }

  @Test("CONF-1: who is expected to hear nothing must hear nothing; slack widens every tolerance")
  func others() {
    let remote: [Transcript.Line] = [.init(101, .phase(.reconnecting))]
    let found = Judge().difference(
      in: Transcript([.local: Self.right, .remote: remote]), from: Self.timeline)
    #expect(found == Difference(.remote, 101, expected: nil, heard: "firePhaseChanged reconnecting"))
    var lines = Self.right
    lines[1].second = 103
    #expect(Judge().difference(in: Transcript([.local: lines]), from: Self.timeline) != nil)
    #expect(Judge(slack: 1).difference(in: Transcript([.local: lines]), from: Self.timeline) == nil)
  }

  @Test(
    "A star at either end of an expected text stands for anything",
    arguments: [
      ("", "*", true), ("any", "*", true), ("any", "a*", true), ("any", "*y", true),
      ("many more", "*an*", true),
      ("any", "any", true), ("any", "b*", false), ("any", "*b", false), ("any", "*b*", false),
      ("any", "an", false),
    ])
  func stars(_ text: String, _ pattern: String, _ fits: Bool) {
    #expect(text.fits(pattern) == fits)
  }

  @Test("CONF-2: the report says each row, the first difference of those that failed, and the sum")
  func report() throws {
    let difference = Difference(.remote, 120.25, expected: "nothing at all", heard: "something")
    let report = ConformanceReport(rows: [
      .init("TL-22", "a short outage", .ok), .init("CB-1", "an \"object\"", .differs(difference)),
      .init("APP-2", "one rejoin", .broken("It joined twice.")), .init("TL-1", "RTC", .noPerformer(.rtc)),
      .init("APP-6", "leaving", .leftOut("no `leave` was given")),
    ])
    #expect(
      "\(report)" == """
        TL-22  ok      a short outage
        CB-1   FAILED  an "object"
                       remote, second 120.25: expected nothing at all, heard something
        APP-2  FAILED  one rejoin
                       It joined twice.
        TL-1   -       RTC
                       no performer for rtc yet
        APP-6  -       leaving
                       no `leave` was given
        1 ok, 2 failed, 2 not run
        """)
    let json = try JSONValue.parse(Array(report.json.utf8))
    #expect(json["ok"] == .bool(false))
    guard case .array(let rows)? = json["rows"] else { Issue.record("no rows"); return }
    #expect(rows.map { $0["outcome"]?.string } == ["ok", "failed", "failed", "notRun", "notRun"])
    #expect(rows[1]["title"]?.string == "an \"object\"")
    #expect(rows[1]["detail"]?.string == "\(difference)")
    #expect(!report.isOk)
    #expect(report.failed.count == 2)
    #expect(report.withoutPerformer.count == 1)
  }
}
