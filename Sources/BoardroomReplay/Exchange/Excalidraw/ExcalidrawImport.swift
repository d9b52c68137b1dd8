import BoardroomCodec
import BoardroomCore
import BoardroomDrawing
import BoardroomModel
import EventLogModel

/// Draws an Excalidraw drawing into a new room: a member joins, puts every element in the order of drawing,
/// and leaves. Each command goes through the room's rules, so that the log is like one that members have
/// made.
///
/// Fields that the board does not have are kept in the attribute `meta`, field `excalidraw`.
public struct ExcalidrawImport: Sendable {
  /// The time between two elements.
  private static let pause = Duration.milliseconds(200)
  /// Points in one segment of a stroke: some 4 KiB.
  private static let segment = 1_024
  /// Fields that the board's element has itself. The others are kept in `meta`.
  private static let said: Set<String> = [
    "x", "y", "width", "height", "points", "pressures", "text", "fontSize", "isDeleted", "locked",
  ]

  /// The room's log from its first event.
  public private(set) var records: [Record] = []
  public private(set) var report = ExchangeReport()
  private var room: Room
  private var now = Timestamp.zero
  private var counter: CommandCounter = 0
  private var number: UInt64 = 0
  private var member: MemberID = 0
  private let images: [String: String]

  /// `name` is the room's; its last event is at `end`. The same drawing, session and end give the same log.
  public init(
    _ file: ExcalidrawFile, name: String, session: SessionID, ending end: Timestamp
  ) throws(Refusal) {
    room = Room(policy: RoomPolicy(rate: nil))
    images = file.images
    record(room.create(RoomCreated(name: name)))
    let admission = try room.join(
      JoinRequest(session: session, uid: "import", role: .writer, client: "boardroom import"))
    member = admission.member
    record(admission.events)
    for item in file.items { put(item) }
    record(room.leave(member, .left))
    shift(to: end)
  }

  /// Moves the times, which were written as if the log began at time zero.
  private mutating func shift(to end: Timestamp) {
    let later = max(0, end.milliseconds - now.milliseconds)
    for place in records.indices {
      records[place].time = Timestamp(milliseconds: records[place].time.milliseconds + later)
    }
  }

  // MARK: Elements

  private mutating func put(_ item: ExcalidrawFile.Item) {
    let kind = String((item.element["type"]?.string ?? "").prefix(32))
    do throws(ExcalidrawImportElement.Unfit) {
      let borrowed = try ExcalidrawImportElement(item.element)
      number += 1
      now = now + Self.pause
      switch borrowed.body {
      case .stroke(let points): try draw(points, borrowed, item)
      case .box, .line, .text: try perform(shape(borrowed, item.element))
      }
      report.keep(kind)
      report.noteHidden(item.element, borrowed)
      noteImage(kind, item.element, borrowed)
    } catch { report.note(kind, .notKept, error.reason) }
  }

  private func shape(_ borrowed: ExcalidrawImportElement, _ source: JSONValue) throws(ExcalidrawImportElement
    .Unfit) -> Command
  {
    var fields = FieldList([
      ("id", .string("\(id)")), ("scene", JSONValue(Int(room.state.currentScene))),
    ])
    let isText: Bool
    switch borrowed.body {
    case .box(let type, let area):
      fields.set([("type", .string(type.rawValue))] + Self.place(area.low) + Self.size(area))
      if type == .image, let source = image(source) { fields["src"] = .string(source.text) }
      isText = false
    case .line(let type, let points):
      let corner = Area(around: points)?.low ?? Spot(0, 0)
      let pairs = points.map { JSONValue.array([.real($0.x - corner.x), .real($0.y - corner.y)]) }
      fields.set([("type", .string(type.rawValue))] + Self.place(corner) + [("points", .array(pairs))])
      isText = false
    case .text(let area, let text, let size):
      fields.set([("type", .string("text"))] + Self.place(area.low) + Self.size(area))
      fields.set([("text", .string(text)), ("size", .real(size))])
      isText = true
    case .stroke: throw ExcalidrawImportElement.Unfit("it is a stroke")
    }
    fields["style"] = borrowed.style.body(text: isText)
    fields["set"] = attributes(borrowed, source).object
    do throws(CodecError) {
      return .elements(.put(try ElementPut(parsing: fields.object.compact)))
    } catch { throw ExcalidrawImportElement.Unfit("it does not fit the protocol (\(error))") }
  }

  private static func place(_ spot: Spot) -> [(String, JSONValue)] {
    [("x", .real(spot.x)), ("y", .real(spot.y))]
  }

  private static func size(_ area: Area) -> [(String, JSONValue)] {
    [("width", .real(area.size.x)), ("height", .real(area.size.y))]
  }

  private var id: ElementID { ElementID(member: member, number: number) }

  /// The attributes of an element. `locked` comes last, because nothing can be set after it.
  private func attributes(_ borrowed: ExcalidrawImportElement, _ source: JSONValue) -> FieldList {
    var fields = FieldList()
    if let transform = borrowed.transform {
      fields[ElementKey.transform] = .array(transform.numbers.map { .real($0) })
    }
    let kept = (source.object ?? []).filter { !Self.said.contains($0.0) }
    fields["meta"] = .object([("excalidraw", .object(kept))])
    if borrowed.isLocked { fields[ElementKey.locked] = .bool(true) }
    return fields
  }

  // MARK: Images

  private func image(_ source: JSONValue) -> ImageSource? {
    guard let file = source["fileId"]?.string, let address = images[file],
      address.utf8.count <= room.policy.limits.element / 2
    else { return nil }
    return ImageSource(address)
  }

  private mutating func noteImage(_ kind: String, _ source: JSONValue, _ borrowed: ExcalidrawImportElement) {
    guard case .box(.image, _) = borrowed.body, image(source) == nil else { return }
    let limit = room.policy.limits.element / 2
    report.note(
      kind, field: "fileId", .lost, "no PNG or JPEG of at most \(limit) bytes: a frame stands for it")
  }

  // MARK: Strokes

  private mutating func draw(
    _ points: PenPoints, _ borrowed: ExcalidrawImportElement, _ item: ExcalidrawFile.Item
  ) throws(ExcalidrawImportElement.Unfit) {
    var at = 0
    while at < points.count {
      let end = min(at + Self.segment, points.count)
      let begin = at == 0 ? style(borrowed.style) : nil
      let encoded = EncodedPoints(points.steps(at..<end))
      now = now + .milliseconds(Int64(PenPoints.step) * Int64(end - at - (at == 0 ? 1 : 0)))
      try perform(
        .drawing(
          .stroke(StrokeSegment(number: number, begin: begin, ends: end == points.count, points: encoded))))
      at = end
    }
    if !item.isBare { remember(borrowed, item.element) }
  }

  /// Remembers the attributes of a stroke, which are set once it is drawn.
  private mutating func remember(_ borrowed: ExcalidrawImportElement, _ source: JSONValue) {
    guard let set = try? JSONPatch(parsing: attributes(borrowed, source).object.compact) else { return }
    do throws(ExcalidrawImportElement.Unfit) {
      try perform(.elements(.change(ElementsChanged([ElementChange(id: id, set: set)]))))
    } catch { report.note("freedraw", field: "meta", .lost, error.reason) }
  }

  private func style(_ style: ShapeStyle) -> StrokeStyle {
    StrokeStyle(
      scene: room.state.currentScene, unit: PenPoints.unit, tool: .pencil, colour: style.colour,
      opacity: ShapeStyle.level(style.opacity), width: ShapeStyle.quarters(style.width))
  }

  // MARK: The log

  private mutating func perform(_ command: Command) throws(ExcalidrawImportElement.Unfit) {
    counter += 1
    switch room.decide(NumberedCommand(counter: counter, command: command), from: member, at: now) {
    case .events(let events): record(events)
    case .refused(let refusal, let events):
      record(events)
      throw ExcalidrawImportElement.Unfit(refusal.cause)
    case .duplicate, .later: throw ExcalidrawImportElement.Unfit("the room put it off")
    }
  }

  private mutating func record(_ events: [Proposed]) {
    for proposed in events {
      let body = EventCodec.encodeBody(proposed.event, counter: proposed.counter)
      records.append(
        Record(kind: proposed.event.kind, time: now, actor: proposed.actor.code, body: body))
      room.apply(proposed, revision: Revision(UInt64(records.count)), at: now)
    }
  }
}
