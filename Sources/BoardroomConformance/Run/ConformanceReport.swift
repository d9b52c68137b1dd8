import BoardroomCodec
import BoardroomModel

/// The result of a run, row by row.
public struct ConformanceReport: Sendable, Hashable {
  /// How one row ended.
  public enum Outcome: Sendable, Hashable {
    case ok
    case differs(Difference)
    /// An app did not do what it promised; the text says what.
    case broken(String)
    /// The timeline could not be played.
    case unplayed(String)
    /// There is no performer for this face.
    case noPerformer(Face)
    /// It was left out; the text says why.
    case leftOut(String)
  }

  /// One timeline, contract or duty, and its outcome.
  public struct Row: Sendable, Hashable {
    public var id: String
    public var title: String
    public var outcome: Outcome

    public init(_ id: String, _ title: String, _ outcome: Outcome) {
      self.id = id
      self.title = title
      self.outcome = outcome
    }
  }

  public var rows: [Row]

  public init(rows: [Row]) { self.rows = rows }

  /// Whether nothing failed. Rows without a performer and rows that were left out count neither way.
  public var isOk: Bool { failed.isEmpty }
  public var failed: [Row] { rows.filter { $0.outcome.isFailure } }
  public var passed: [Row] { rows.filter { $0.outcome == .ok } }
  public var withoutPerformer: [Row] {
    rows.filter { if case .noPerformer = $0.outcome { true } else { false } }
  }

  public subscript(id: String) -> Outcome? { rows.first { $0.id == id }?.outcome }
}

extension ConformanceReport.Outcome {
  public var isFailure: Bool {
    switch self {
    case .ok, .noPerformer, .leftOut: false
    case .differs, .broken, .unplayed: true
    }
  }

  /// One word for a column.
  public var word: String {
    switch self {
    case .ok: "ok"
    case .differs, .broken, .unplayed: "FAILED"
    case .noPerformer, .leftOut: "-"
    }
  }

  /// Details beyond that word, if there are any.
  public var detail: String? {
    switch self {
    case .ok: nil
    case .differs(let difference): "\(difference)"
    case .broken(let words), .unplayed(let words), .leftOut(let words): words
    case .noPerformer(let face): "no performer for \(face.rawValue) yet"
    }
  }
}

// MARK: For people and for programs

extension ConformanceReport: CustomStringConvertible {
  /// A table: id, outcome, title; below a row that is not ok, why.
  public var description: String {
    let width = rows.map(\.id.count).max() ?? 0
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    let lines = rows.flatMap { row -> [String] in
      let first = "\(padded(row.id, width))  \(padded(row.outcome.word, 6))  \(row.title)"
      let indent = String(repeating: " ", count: width + 10)
      return [first] + (row.outcome.detail.map { [indent + $0] } ?? [])
    }
    return (lines + [summary]).joined(separator: "\n")
  }

  private var summary: String {
    let others = rows.count - passed.count - failed.count
    return "\(passed.count) ok, \(failed.count) failed, \(others) not run"
  }

  /// An object with `ok` and `rows`; each row has `id`, `title`, `outcome` (`ok`, `failed`, `notRun`) and, where there
  /// is something to say, `detail`.
  public var json: String {
    let rows = self.rows.map { row -> JSONValue in
      var fields: [(String, JSONValue)] = [
        ("id", .string(row.id)), ("title", .string(row.title)),
        ("outcome", .string(row.outcome.isFailure ? "failed" : row.outcome == .ok ? "ok" : "notRun")),
      ]
      if let detail = row.outcome.detail { fields.append(("detail", .string(detail))) }
      return .object(fields)
    }
    return JSONValue.object([("ok", .bool(isOk)), ("rows", .array(rows))]).text.text
  }
}
