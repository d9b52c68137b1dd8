import ArgumentParser
import BoardroomReplay

/// The formats of import and export.
enum ExchangeFormat: String, ExpressibleByArgument, CaseIterable {
  case boardroom, excalidraw

  static var listed: String { allCases.map(\.rawValue).joined(separator: " or ") }
}

extension ExchangeReport {
  /// Prints the report on standard error, with texts of members escaped.
  func show(quiet: Bool) {
    guard !quiet else { return }
    for line in lines { Terminal.note(Text.visible(line, limit: 200)) }
    Terminal.note("\(Text.count(keptCount, "element")) kept, \(notKeptCount) not.")
  }
}
