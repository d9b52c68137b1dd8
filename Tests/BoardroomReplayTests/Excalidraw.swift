import BoardroomCodec
import BoardroomDrawing
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import Foundation
import Testing

/// Drawings of Excalidraw's for tests: a small one of our own making, and the corpus beside a checkout.
enum Excalidraw {
  static let session = SessionID(high: 1, low: 2)
  static let end = Timestamp(milliseconds: 1_700_000_000_000)

  struct Imported {
    var moment: Moment
    var report: ExchangeReport
    var records: [Record]
    var anomalies: Int
    var scene: SceneID { moment.state.currentScene }
    var list: DisplayList { DisplayList(of: moment.state, scene: scene) }
    /// Element by element.
    var marks: [JSONValue] {
      moment.state.elements.drawn(in: scene).map { DisplayList(marks: $0.marks).json }
    }
    var file: ExcalidrawExport { ExcalidrawExport(of: moment.state, scene: scene) }
  }

  /// Imports and reads the log back from a store, as every other log is read.
  static func imported(_ bytes: [UInt8]) async throws -> Imported {
    let file = try ExcalidrawFile(reading: bytes, place: "test")
    let made = try ExcalidrawImport(file, name: "drawing", session: session, ending: end)
    let store = MemoryLogStore()
    let room = RoomID(high: 3, low: 4)
    var writer = LogImport(room, into: store, events: made.records.count)
    try await writer.add(made.records)
    _ = try await writer.finish()
    var replay = try await Replay.open(room, in: store)
    try await replay.seek(to: replay.end)
    return Imported(
      moment: replay.moment, report: made.report, records: made.records,
      anomalies: replay.anomalies.anomalyCount)
  }

  static func imported(_ elements: String) async throws -> Imported {
    try await imported(Array("{\"type\":\"excalidraw\",\"version\":2,\"elements\":[\(elements)]}".utf8))
  }

  /// The fields that every element of theirs has, and over them those given.
  static func element(_ type: String, _ fields: String = "") -> String {
    let usual = [
      "type": "\"\(type)\"", "id": "\"id-\(type)\"", "x": "10", "y": "20", "width": "100", "height": "50",
      "angle": "0", "strokeColor": "\"#1e1e1e\"", "backgroundColor": "\"transparent\"",
      "fillStyle": "\"solid\"", "strokeWidth": "2", "strokeStyle": "\"solid\"", "roughness": "0",
      "opacity": "100", "seed": "42", "isDeleted": "false",
    ]
    let given = Set(((try? JSONValue.parse(Array("{\(fields)}".utf8)))?.object ?? []).map(\.0))
    let rest = usual.filter { !given.contains($0.key) }.sorted { $0.key < $1.key }
    let own = fields.isEmpty ? [] : [fields]
    return "{" + (rest.map { "\"\($0.key)\":\($0.value)" } + own).joined(separator: ",") + "}"
  }
}

/// Real drawings, beside a checkout of those who develop and of CI; not part of the project.
enum Corpus {
  static func file(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/corpus/\(name)")
  }

  static var isThere: Bool {
    FileManager.default.fileExists(atPath: file("excalidraw_elements.ndjson").path)
  }

  static func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: file(name))) }
}
