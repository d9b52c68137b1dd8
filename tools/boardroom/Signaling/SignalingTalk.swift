import BoardroomClient
import BoardroomLegacy
import EventLogModel
import Foundation
import Synchronization

/// One client of Signaling that reads standard input and writes callbacks to standard output.
final class SignalingTalk: Sendable {
  struct Settings: Sendable {
    var account: String
    var token: String
    var service: ServiceConfiguration
    /// How long `wait` waits.
    var patience: Duration
    var speed: Int
    var json: Bool
    var quiet: Bool
  }

  /// msg1, msg2…
  private final class Names: Sendable {
    private let last = Atomic(0)
    func next() -> String { "msg\(last.add(1, ordering: .relaxed).newValue)" }
  }

  /// How long signing in may take (login2's own limit and some time for the callback), and signing out at the
  /// end.
  private static let entry = Duration.seconds(32)
  private static let farewell = Duration.seconds(5)

  private let settings: Settings
  private let client: SignalingClient
  private let context: LoopContext
  private let heard = HeardCallbacks()
  private let names = Names()

  init(_ settings: Settings) {
    self.settings = settings
    let context = LoopContext(speed: settings.speed)
    self.context = context
    client = SignalingClient.createSigInstance(
      settings.service, context: context,
      transport: WebSocketTransport(on: context, trust: settings.service.trust))
    let (heard, settings) = (heard, settings)
    client.tellAll { event in
      if case .log(let text) = event {
        if !settings.quiet { Terminal.note(text) }
        return
      }
      Terminal.line(settings.json ? event.jsonLine(at: context.now) : event.line, isJSON: settings.json)
      heard.add(event)
    }
  }

  func run() async throws {
    try await logIn()
    for await line in Input.lines {
      guard try await obey(line.trimmingCharacters(in: .whitespaces)) else { return }
    }
    try Task.checkCancellation()
  }

  /// Signs out, if it is signed in.
  func end() async {
    guard await client.getStatus() != 0 else { return }
    heard.passAll()
    client.logout()
    _ = await heard.next(of: ["onLogout", "onLoginFailed"], within: Self.farewell)
  }

  /// Waits for the result, because the next lines of a script need the login.
  private func logIn() async throws {
    let isOut = await client.getStatus() == 0
    client.login(settings.service.appId, account: settings.account, token: settings.token)
    guard isOut else { return }
    let event = await heard.next(of: ["onLoginSuccess", "onLoginFailed"], within: Self.entry)
    try Task.checkCancellation()
    guard case .loginFailed(let code) = event, !Self.isTyped else { return }
    throw Failure(Self.status(of: code), "\(settings.account) was not signed in: \(code.rawValue).")
  }

  private static func status(of code: SignalingCode) -> ExitStatus {
    if code == .loginInvalidUser { return .usage }
    return code == .loginNet ? .unavailable : .forbidden
  }

  /// Whether a person types: a wrong line is then only reported, while a script fails.
  private static var isTyped: Bool { isatty(STDIN_FILENO) == 1 }

  // MARK: Lines

  /// Does what a line says. False if it was the last one.
  private func obey(_ line: String) async throws -> Bool {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    switch words.first {
    case nil: return true
    case "quit": return false
    case "help": for line in Order.help.split(separator: "\n") { Terminal.note(String(line)) }
    case "login": try await logIn()
    case "wait": try await wait(words)
    case "pause": try await pause(words)
    case "repeat":
      guard words.count == 3, let count = Int(words[1]), (1...10_000).contains(count) else {
        return try complain("It is written repeat COUNT METHOD…, the count up to 10000.")
      }
      try give(words[2], count)
    default: try give(line, 1)
    }
    return true
  }

  /// Calls the method `count` times in one turn of the client, so that all are sent together.
  private func give(_ line: String, _ count: Int) throws {
    let order: Order
    do { order = try Order(line[...]) } catch let failure as Failure {
      _ = try complain(failure.description)
      return
    }
    let (client, names) = (client, names)
    context.execute {
      for number in 1...count { order.perform(client, number: number, name: names.next) }
    }
  }

  private func wait(_ words: [String]) async throws {
    guard words.count > 1 else { return _ = try complain("It is written wait CALLBACK [TEXT].") }
    let text = words.count > 2 ? words[2] : ""
    let found = await heard.next(of: [words[1]], with: text, within: settings.patience / settings.speed)
    guard found != nil else {
      try Task.checkCancellation()
      throw Failure(.answerIsNo, "\(words[1]) did not come within \(settings.patience).")
    }
  }

  private func pause(_ words: [String]) async throws {
    guard words.count == 2, let seconds = Double(words[1]), seconds >= 0, seconds < 1e6 else {
      return _ = try complain("It is written pause SECONDS.")
    }
    try await Task.sleep(for: .milliseconds(Int(seconds * 1_000)) / settings.speed)
  }

  private func complain(_ sentence: String) throws -> Bool {
    guard Self.isTyped else { throw Failure(.usage, sentence) }
    Terminal.note(sentence)
    return true
  }
}

/// Callbacks that have come and that no `wait` has taken yet.
final class HeardCallbacks: Sendable {
  /// How many are kept. 10,000: an hour of a busy channel.
  private static let limit = 10_000
  private static let glance = Duration.milliseconds(2)

  private let events = Mutex<[SignalingEvent]>([])

  func add(_ event: SignalingEvent) {
    events.withLock { events in
      events.append(event)
      if events.count > Self.limit { events.removeFirst(events.count - Self.limit) }
    }
  }

  func passAll() { events.withLock { $0 = [] } }

  /// The first of these callbacks whose line contains `text`. It and all callbacks before it are removed. Nil
  /// if it did not come in time.
  func next(of names: [String], with text: String = "", within patience: Duration) async -> SignalingEvent? {
    let end = ContinuousClock.now + patience
    while true {
      if let event = pass(names, text) { return event }
      guard ContinuousClock.now < end, !Task.isCancelled else { return nil }
      try? await Task.sleep(for: Self.glance)
    }
  }

  private func pass(_ names: [String], _ text: String) -> SignalingEvent? {
    events.withLock { events in
      let place = events.firstIndex { event in
        names.contains(event.callback.name) && (text.isEmpty || event.line.contains(text))
      }
      guard let place else { return nil }
      defer { events.removeFirst(place + 1) }
      return events[place]
    }
  }
}

/// Reads standard input line by line, on a thread of its own, so that waiting for it blocks nothing else.
enum Input {
  static var lines: AsyncStream<String> {
    AsyncStream { lines in
      Thread.detachNewThread {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }
    }
  }
}
