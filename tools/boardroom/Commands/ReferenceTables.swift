import ArgumentParser
import BoardroomServer

/// Tables of docs/OPERATIONS.md that are made from the code.
enum ReferenceTable: String, ExpressibleByArgument, CaseIterable {
  case settings, lines, metrics

  var markdown: String {
    switch self {
    case .settings: Setting.markdown
    case .lines: LogLine.markdown
    case .metrics: MetricReference.markdown(store: StoreWatch.reference)
    }
  }
}
