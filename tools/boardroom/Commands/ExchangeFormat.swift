import ArgumentParser
import BoardroomReplay

/// Formats that rooms are exchanged in.
enum ExchangeFormat: String, ExpressibleByArgument, CaseIterable {
  case boardroom, excalidraw

  static var listed: String { allCases.map(\.rawValue).joined(separator: " or ") }
}

extension ExchangeReport {
  /// On standard error; what members wrote is shown as far as it is visible.
  func show(quiet: Bool) {
    guard !quiet else { return }
    for line in lines { Terminal.note(Text.visible(line, limit: 200)) }
    Terminal.note("\(Text.count(keptCount, "element")) kept, \(notKeptCount) not.")
  }
}
