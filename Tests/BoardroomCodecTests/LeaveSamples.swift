import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Golden messages of a login that leaves a channel, and of a server that lets it.
enum LeaveSamples {
  static let client: [(name: String, notice: ClientNotice)] = [
    ("ask-leaveChannel", .ask(Ask(number: 1, question: .leaveChannel(channel: "lobby"))))
  ]

  static let server: [(name: String, notice: Notice)] = [
    (
      "welcome-leaveChannel",
      .welcome(
        Welcome(
          member: 0, session: LogID(high: 0x0123_4567_89ab_cdef, low: 2), generation: 1,
          ticket: "0f1e2d3c4b5a69788796a5b4c3d2e1f0", resumed: false, epoch: Epoch(0x1122_3344_5566_7788),
          revision: 300, time: Timestamp(milliseconds: 1_764_000_000_000), lastCounter: 0, writable: true,
          timings: Timings(), limits: WireLimits(), acceptsLeaveChannel: true))
    )
  ]
}
