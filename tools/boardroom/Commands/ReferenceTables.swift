import ArgumentParser
import BoardroomServer
import BoardroomWebhooks

/// Tables and files that are made from the code: of docs/OPERATIONS.md, docs/PROTOCOL.md and docs/WEBHOOKS.md, and the
/// page's kinds.js.
enum ReferenceTable: String, ExpressibleByArgument, CaseIterable {
  case settings, lines, metrics, flags, kinds, kindLimits, pageKinds, webhooks

  var markdown: String {
    switch self {
    case .settings: Setting.markdown
    case .lines: LogLine.markdown
    case .metrics: MetricReference.markdown(store: StoreWatch.reference)
    case .flags: FlagReference.markdown
    case .kinds: KindReference.protocolRows
    case .kindLimits: KindReference.limits
    case .pageKinds: KindReference.pageFile
    case .webhooks: WebhookType.markdown
    }
  }
}
