import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

@testable import BoardroomClient

/// Board and media in step (RP-50 to RP-53).
@Suite struct CombineTests {
  enum Step: Sendable {
    case board(WhitePlayerPhase), media(WhiteMediaState), play, pause, seek, boardArrives, mediaArrives
    case covers(Bool)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]
    var phase: WhitePlayerPhase
    var reasons: WhitePauseReasons
    var board: Bool
    var media: Bool
  }

  static let playing: [Step] = [.board(.pause), .media(.ready), .play, .board(.playing)]
  static let cases: [Case] = [
    Case(
      testDescription: "at the beginning", steps: [], phase: .waitingFirstFrame, reasons: .initial,
      board: false,
      media: false),
    Case(
      testDescription: "both ready", steps: [.board(.pause), .media(.ready)], phase: .pause, reasons: .byUser,
      board: false, media: false),
    Case(
      testDescription: "the board waits for the media", steps: [.board(.pause), .play], phase: .buffering,
      reasons: .waitingMedia, board: false, media: true),
    Case(testDescription: "playing", steps: playing, phase: .playing, reasons: [], board: true, media: true),
    Case(
      testDescription: "the media stalls", steps: playing + [.media(.buffering)], phase: .buffering,
      reasons: .waitingMedia, board: false, media: true),
    Case(
      testDescription: "and goes on", steps: playing + [.media(.buffering), .board(.pause), .media(.ready)],
      phase: .playing, reasons: [], board: true, media: true),
    Case(
      testDescription: "the board stalls", steps: playing + [.board(.buffering)], phase: .buffering,
      reasons: .waitingBoard, board: true, media: false),
    Case(
      testDescription: "both stall", steps: playing + [.board(.buffering), .media(.buffering)],
      phase: .buffering, reasons: [.waitingBoard, .waitingMedia], board: false, media: false),
    Case(
      testDescription: "paused while the media stalls", steps: playing + [.media(.buffering), .pause],
      phase: .buffering, reasons: [.waitingMedia, .byUser], board: false, media: false),
    Case(
      testDescription: "paused", steps: playing + [.pause, .board(.pause)], phase: .pause, reasons: .byUser,
      board: false, media: false),
    Case(
      testDescription: "seeking", steps: playing + [.seek], phase: .buffering,
      reasons: [.waitingBoard, .waitingMedia], board: false, media: false),
    Case(
      testDescription: "the board arrives first", steps: playing + [.seek, .boardArrives], phase: .buffering,
      reasons: .waitingMedia, board: false, media: true),
    Case(
      testDescription: "both arrive", steps: playing + [.seek, .boardArrives, .mediaArrives], phase: .playing,
      reasons: [], board: true, media: true),
    Case(
      testDescription: "the board ends", steps: playing + [.board(.ended)], phase: .ended, reasons: [],
      board: false, media: false),
    Case(
      testDescription: "the media ends first", steps: playing + [.media(.ended)], phase: .playing,
      reasons: [],
      board: true, media: false),
    Case(
      testDescription: "before the file begins", steps: playing + [.covers(false), .media(.buffering)],
      phase: .playing, reasons: [], board: true, media: false),
    Case(
      testDescription: "the file is broken", steps: playing + [.media(.failed("codec"))], phase: .stopped,
      reasons: [], board: false, media: false),
    Case(
      testDescription: "stopped", steps: playing + [.board(.stopped)], phase: .stopped, reasons: [],
      board: false,
      media: false),
  ]

  @Test("RP-50, RP-51, RP-52: what is shown, why it does not play, and which track runs", arguments: cases)
  func machine(one: Case) {
    var machine = CombineMachine()
    var number: UInt64 = 0
    for step in one.steps {
      switch step {
      case .board(let phase): machine.board(phase)
      case .media(let state): machine.media(state)
      case .play: machine.play()
      case .pause: machine.pause()
      case .seek: number = machine.seek(withMedia: true)
      case .boardArrives: machine.boardArrived(number)
      case .mediaArrives: machine.mediaArrived(number)
      case .covers(let covers): machine.covers(covers)
      }
    }
    #expect(machine.phase == one.phase)
    #expect(machine.reasons == one.reasons)
    #expect(machine.orders == CombineMachine.Orders(board: one.board, media: one.media))
  }

  @Test("RP-52: the reasons are a set with the source system's numbers")
  func numbers() {
    #expect(WhitePauseReasons.waitingBoard.rawValue == 1)
    #expect(WhitePauseReasons.waitingMedia.rawValue == 2)
    #expect(WhitePauseReasons.byUser.rawValue == 4)
    #expect(WhitePauseReasons.initial.rawValue == 7)
  }

  @Test("RP-31, RP-50: of two seeks only the newer one's arrival counts")
  func overridden() {
    var machine = CombineMachine()
    for step in [WhitePlayerPhase.pause, .playing] { machine.board(step) }
    machine.media(.ready)
    machine.play()
    let old = machine.seek(withMedia: true)
    let new = machine.seek(withMedia: true)
    machine.boardArrived(old)
    machine.mediaArrived(old)
    #expect(machine.phase == .buffering)
    machine.boardArrived(new)
    machine.mediaArrived(new)
    #expect(machine.phase == .playing)
  }

  /// A media player that says what it is told to.
  final class Media: WhiteMediaClock {
    struct State {
      var heard: (@Sendable (WhiteMediaState) -> Void)?
      var orders: [String] = []
      var arrivals: [@Sendable () -> Void] = []
    }
    let state = Mutex(State())
    let duration: Double?
    init(duration: Double? = nil) { self.duration = duration }
    func play() { state.withLock { $0.orders.append("play") } }
    func pause() { state.withLock { $0.orders.append("pause") } }
    func setSpeed(_ speed: Double) { state.withLock { $0.orders.append("speed \(speed)") } }
    func seek(to seconds: Double, completion: @escaping @Sendable () -> Void) {
      state.withLock {
        $0.orders.append("seek \(seconds)")
        $0.arrivals.append(completion)
      }
    }
    func observe(_ heard: @escaping @Sendable (WhiteMediaState) -> Void) {
      state.withLock { $0.heard = heard }
      heard(.buffering)
    }
    func say(_ media: WhiteMediaState) { state.withLock { $0.heard }?(media) }
    func arrive() {
      let arrivals = state.withLock { state in
        defer { state.arrivals = [] }
        return state.arrivals
      }
      for arrival in arrivals { arrival() }
    }
    var orders: [String] { state.withLock { $0.orders } }
  }

  final class Listener: WhiteCombinePlayerDelegate, Sendable {
    let heard = Box<[String]>([])
    func combinePlayerPhaseChanged(_ phase: WhitePlayerPhase) { heard.change { $0.append("\(phase)") } }
    func combinePlayerPauseReasonsChanged(_ reasons: WhitePauseReasons) {
      heard.change { $0.append("\(reasons.rawValue)") }
    }
    func combinePlayerFailed(_ error: String) { heard.change { $0.append("failed \(error)") } }
  }

  @Test(
    "RP-5, RP-31, RP-50, RP-51, RP-53: a real player waits for the file, ends with the board, seeks at once")
  func together() throws {
    let world = try RecordedRoom.short().world
    let (player, _) = world.player()
    let (media, listener) = (Media(duration: 60), Listener())
    let both = WhiteCombinePlayer(player, media: media, mediaOffset: 2, delegate: listener)
    world.ready(player)
    both.play()
    world.run(for: 1)
    // Before the file's beginning the board plays alone.
    #expect(both.phase == .playing)
    #expect(player.phase == .playing)
    #expect(media.orders.isEmpty)
    world.run(for: 1.2)
    #expect(media.orders == ["play"])
    #expect(both.phase == .buffering)
    #expect(player.phase == .pause)
    #expect(both.pauseReasons == .waitingMedia)
    world.run(for: 10)
    media.say(.ready)
    world.run(for: 1)
    #expect(both.phase == .playing)
    #expect(player.phase == .playing)
    let told = Box<[WhitePlayerSeekResult]>([])
    both.seek(to: 5) { result in told.change { $0.append(result) } }
    world.run(for: 0.1)
    #expect(told.value == [.success])
    #expect(both.phase == .buffering)
    #expect(media.orders == ["play", "pause", "seek 3.0", "play"])
    media.arrive()
    world.run(for: 1)
    #expect(both.phase == .playing)
    both.playbackSpeed = 2
    world.run(for: 20)
    // The file is a minute long, the board is not.
    #expect(both.phase == .ended)
    #expect(player.phase == .ended)
    #expect(media.orders.suffix(2) == ["speed 2.0", "pause"])
    #expect(listener.heard.value.last == "ended")
    media.say(.failed("gone"))
    world.run(for: 1)
    #expect(both.phase == .stopped)
    #expect(listener.heard.value.contains("failed gone"))
  }
}
