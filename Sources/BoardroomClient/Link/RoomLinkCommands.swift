import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Custom events on their way out: one in 75 ms (ME-10).
struct MagixPace {
  static let interval = Duration.milliseconds(75)
  /// Events that may wait. 1,000: over a minute at the pace.
  static let limit = 1_000

  private(set) var waiting: [(event: MagixEvent, completion: CommandCompletion)] = []
  private var lastSent: Timestamp?

  var due: Timestamp? { waiting.isEmpty ? nil : lastSent.map { $0 + Self.interval } ?? .zero }

  mutating func add(_ event: MagixEvent, _ completion: @escaping CommandCompletion) -> Bool {
    guard waiting.count < Self.limit else { return false }
    waiting.append((event, completion))
    return true
  }

  mutating func next(at now: Timestamp) -> (event: MagixEvent, completion: CommandCompletion)? {
    guard let due, due <= now else { return nil }
    lastSent = now
    return waiting.removeFirst()
  }

  mutating func abandon(_ error: BoardroomError) -> [Outbox.Settled] {
    defer { waiting = [] }
    return waiting.map { ($0.completion, .failure(error)) }
  }
}

/// A stroke whose pen is down.
struct OpenStroke {
  let number: UInt64
  var encoder: StrokeEncoder
}

extension RoomLink {
  /// P-12: only while connected. Otherwise it fails at once and is never sent later.
  func submit(_ command: Command, _ completion: @escaping CommandCompletion) {
    if let error = obstacle { return completion(.failure(error)) }
    do throws(BoardroomError) { try checkSize(of: command) } catch { return completion(.failure(error)) }
    if case .magix(let event) = command, settings.pacesMagix {
      guard magix.add(event, completion) else { return completion(.failure(.tooManyWaiting)) }
      sendDueMagix()
      return wake()
    }
    queue(command, completion)
  }

  /// Why nothing can be sent now, if so.
  private var obstacle: BoardroomError? {
    guard isLive else { return BoardroomError(.notConnected) }
    return outbox.isFull ? .tooManyWaiting : nil
  }

  private func checkSize(of command: Command) throws(BoardroomError) {
    guard let limit = limits.payload(of: command.kind) else { return }
    let numbered = NumberedCommand(counter: 1, command: command)
    let size = CommandCodec.encode(numbered).body.count - 1
    guard size > limit else { return }
    throw BoardroomError(Refusal(.tooLarge, actual: size, allowed: limit))
  }

  private func queue(_ command: Command, _ completion: @escaping CommandCompletion) {
    if case .setWritable(let flag) = command { wantsWritable = flag }
    outgoing.append(outbox.add(command, completion))
    // All that is asked for in one turn goes out as one message.
    if outgoing.count == 1 { enter { $0.flushCommands() } }
  }

  func flushCommands() {
    guard isLive || machine.phase == .closing, connection?.stage == .live else { return }
    // A quarter of the server's limit leaves room for what JSON adds.
    let budget = limits.message / 4
    var batch: [NumberedCommand] = []
    var size = 0
    for numbered in outgoing {
      let bytes = CommandCodec.encode(numbered).body.count + 8
      if size + bytes > budget, !batch.isEmpty {
        send(.commands(batch))
        (batch, size) = ([], 0)
      }
      batch.append(numbered)
      size += bytes
    }
    outgoing.removeAll(keepingCapacity: true)
    if !batch.isEmpty { send(.commands(batch)) }
  }

  func sendDueMagix() {
    while let (event, completion) = magix.next(at: now) { queue(.magix(event), completion) }
  }

  // MARK: Elements

  /// Makes an element on the current scene.
  func put(
    _ type: ElementType, _ fields: [(String, JSONValue)],
    _ completion: @escaping @Sendable (Result<ElementID, BoardroomError>) -> Void
  ) {
    guard isLive, let id = newElement() else { return completion(.failure(BoardroomError(.notConnected))) }
    put(id, type, on: mirror.state.currentScene, fields) { completion($0.map { _ in id }) }
  }

  private func put(
    _ id: ElementID, _ type: ElementType, on scene: SceneID, _ fields: [(String, JSONValue)],
    _ completion: @escaping CommandCompletion
  ) {
    let head: [(String, JSONValue)] = [
      ("id", .string(id.description)), ("scene", JSONValue(Int(scene))), ("type", .string(type.rawValue)),
    ]
    let raw = JSONValue.object(head + fields).text
    submit(.putElement(ElementPut(id: id, scene: scene, type: type, raw: raw)), completion)
  }

  /// Puts a text in place of another; where it stands and how it looks stay.
  func updateText(_ id: ElementID, _ text: String, _ completion: @escaping CommandCompletion) {
    guard let element = mirror.state.elements[id], case .shape(.text, let raw) = element.content,
      let fields = (try? JSONValue(raw))?.object
    else { return completion(.failure(BoardroomError(.noSuchElement))) }
    let kept = fields.filter { !["id", "scene", "type", "text"].contains($0.0) }
    put(id, .text, on: element.scene, kept + [("text", .string(text))], completion)
  }

  private func newElement() -> ElementID? {
    guard let member = session?.member else { return nil }
    session?.lastElement += 1
    return session.map { ElementID(member: member, number: $0.lastElement) }
  }

  // MARK: Strokes

  func beginStroke(
    _ key: UInt64, _ pen: WhitePen, _ points: [WhitePoint], ends: Bool,
    _ completion: @escaping @Sendable (Result<(ElementID, Receipt), BoardroomError>) -> Void
  ) {
    guard isLive, let id = newElement() else { return completion(.failure(BoardroomError(.notConnected))) }
    let style = pen.style(on: mirror.state.currentScene)
    session?.strokes[key] = OpenStroke(number: id.number, encoder: StrokeEncoder(unit: style.unit))
    segments(of: key, points, begin: style, ends: ends) { completion($0.map { (id, $0) }) }
  }

  /// Fails if the stroke never began, has ended, or belongs to a session that is over.
  func extendStroke(
    _ key: UInt64, _ points: [WhitePoint], ends: Bool, _ completion: @escaping CommandCompletion
  ) {
    if let obstacle { return completion(.failure(obstacle)) }
    guard session?.strokes[key] != nil else { return completion(.failure(BoardroomError(.noSuchElement))) }
    segments(of: key, points, begin: nil, ends: ends, completion)
  }

  private func segments(
    of key: UInt64, _ points: [WhitePoint], begin: StrokeStyle?, ends: Bool,
    _ completion: @escaping CommandCompletion
  ) {
    guard var stroke = session?.strokes[key] else { return }
    var begin = begin
    var rest = points[...]
    repeat {
      let piece = rest.prefix(StrokeEncoder.segmentLimit)
      rest = rest.dropFirst(piece.count)
      let segment = StrokeSegment(
        number: stroke.number, begin: begin, ends: ends && rest.isEmpty,
        points: stroke.encoder.encode(piece))
      begin = nil
      // The receipt of the last segment stands for all: they are decided in order.
      if rest.isEmpty { submit(.stroke(segment), completion) } else { submit(.stroke(segment)) { _ in } }
    } while !rest.isEmpty
    session?.strokes[key] = ends ? nil : stroke
  }
}
