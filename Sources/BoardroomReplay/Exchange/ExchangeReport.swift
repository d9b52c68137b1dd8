import BoardroomCodec

/// What an import or export of another program's drawing kept, and what it did not keep: by kind of element
/// and by field.
public struct ExchangeReport: Sendable, Hashable {
  /// How much of an element or field was lost.
  public enum Extent: String, Sendable, Hashable, CaseIterable {
    /// The element is not in the result.
    case notKept = "not kept"
    /// The field is in the room's log, and an export writes it again, but nothing shows it.
    case keptAside = "kept aside"
    /// The field has another, similar value in the result.
    case changed
    /// The field is not in the result.
    case lost
  }

  /// Something that was not kept: which field of which kind of element, how much of it, and why.
  public struct Loss: Sendable, Hashable {
    /// The kind of element, by the name that the other program uses.
    public var kind: String
    /// Empty if the whole element is meant.
    public var field: String
    public var extent: Extent
    public var reason: String
  }

  /// Elements in the result, by kind.
  public private(set) var kept: [String: Int] = [:]
  public private(set) var losses: [Loss: Int] = [:]

  public init() {}

  /// Counts an element of this kind as kept.
  public mutating func keep(_ kind: String) { kept[kind, default: 0] += 1 }

  /// Counts a loss.
  public mutating func note(_ kind: String, field: String = "", _ extent: Extent, _ reason: String) {
    losses[Loss(kind: kind, field: field, extent: extent, reason: reason), default: 0] += 1
  }

  public var keptCount: Int { kept.values.reduce(0, +) }
  public var notKeptCount: Int {
    losses.reduce(0) { $0 + ($1.key.extent == .notKept ? $1.value : 0) }
  }

  /// In the order in which they are printed: by kind, whole elements first, then by field.
  public var sortedLosses: [(loss: Loss, count: Int)] {
    losses.map { ($0.key, $0.value) }.sorted { left, right in
      (left.0.kind, left.0.field, left.0.extent.rawValue, left.0.reason)
        < (right.0.kind, right.0.field, right.0.extent.rawValue, right.0.reason)
    }
  }

  /// One line for each kind and one for each loss.
  public var lines: [String] {
    kept.sorted { $0.key < $1.key }.map { "kept        \($0.value) \($0.key)" }
      + sortedLosses.map { loss, count in
        let what = loss.field.isEmpty ? loss.kind : "\(loss.kind).\(loss.field)"
        return "\(loss.extent.rawValue.padded(to: 12))\(count) \(what): \(loss.reason)"
      }
  }

  /// `kept` by kind, and `losses`: `kind`, `field` (absent: the whole element), `extent`, `reason`, `count`.
  public var json: JSONValue {
    let losses = sortedLosses.map { loss, count in
      JSONValue.object(
        [("kind", .string(loss.kind))] + (loss.field.isEmpty ? [] : [("field", .string(loss.field))])
          + [
            ("extent", .string(loss.extent.rawValue)), ("reason", .string(loss.reason)),
            ("count", JSONValue(count)),
          ])
    }
    let kept = kept.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }
    return .object([("kept", .object(kept)), ("losses", .array(losses))])
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
