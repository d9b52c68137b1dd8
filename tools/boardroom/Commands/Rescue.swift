import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import Foundation

/// Copies what can be read of a damaged folder into a new one.
struct Rescue {
  private let source: String
  private let target: String
  private let quiet: Bool
  private let json: Bool

  init(from source: String, to target: String, quiet: Bool, json: Bool) {
    (self.source, self.target, self.quiet, self.json) = (source, target, quiet, json)
  }

  func run() async throws {
    guard !FileManager.default.fileExists(atPath: target) else {
      throw Failure(
        .cannotCreate, "\(target) exists already.", "Name a new folder for --salvage.", at: target)
    }
    guard FileManager.default.fileExists(atPath: source + "/log.db") else {
      throw Failure(
        .noInput, "There is no \(source)/log.db, and nothing can be gathered without it.",
        "Restore a backup.", at: source)
    }
    let progress = Progress("Looking for blocks", quiet: quiet)
    let salvage = try Salvage(file: source + "/log.db") { step in
      progress.show(step.done, of: step.total)
      return true
    }
    progress.end()
    let unfinished = (try? Verify.unfinishedImports(folder: source)) ?? [:]
    try NewFolder.make(target)
    let store = try EmbeddedLogStore.open(folder: target)
    do {
      for log in salvage.blocks.keys.sorted() { try await rescue(log, salvage, unfinished[log], into: store) }
      await store.shutdown()
    } catch {
      await store.shutdown()
      throw error
    }
    for damage in salvage.damaged {
      let text = "\(damage)"
      Terminal.line(json ? "{\"lost\":\(Text.json(text))}" : "lost: \(text)", isJSON: json)
    }
    if salvage.blocks.isEmpty, !json { Terminal.line("log.db holds no events; \(target) is empty.") }
  }

  private func rescue(
    _ log: LogID, _ salvage: Salvage, _ unfinished: Revision?, into store: any ImportStore
  ) async throws {
    var runs = try salvage.runs(of: log)[...]
    var whole = 0
    for run in runs where run.first == Revision(UInt64(whole + 1)) { whole += run.count }
    // An unfinished import stays unfinished in the copy, so that the same file can finish it there.
    let total = max(whole, unfinished.map { $0 - .zero } ?? 0)
    var writer = LogImport(log, into: store, events: total)
    while let run = runs.first, run.first <= Revision(UInt64(whole)) {
      try await writer.add(run.unpacked)
      runs.removeFirst()
    }
    if whole == total {
      if whole > 0 { _ = try await writer.finish() }
    } else {
      try await writer.flush()
    }
    let file = runs.first.map { "\(target)/\(log)-from-\($0.first).jsonl" }
    if let file { try write(runs, to: file) }
    guard !json else {
      let beyond = file.map(Text.json) ?? "null"
      return Terminal.line(
        "{\"room\":\"\(log)\",\"events\":\(whole),\"of\":\(total),\"beyondGap\":\(beyond)}", isJSON: true)
    }
    Terminal.line(
      "\(log): \(whole) events rescued\(whole < total ? " of an import of \(total) that is not finished" : "")"
        + (runs.isEmpty ? "" : ", more beyond a gap"))
    if let file { Terminal.line("\(log): what lies beyond the gap is in \(file)") }
  }

  private func write(_ runs: ArraySlice<Run>, to file: String) throws {
    var lines: [UInt8] = []
    for run in runs {
      for line in RecordMirror.lines(of: run) { lines += line + [UInt8(ascii: "\n")] }
    }
    try OutputFile(file, as: .json).write(lines)
  }
}
