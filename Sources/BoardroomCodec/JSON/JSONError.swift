/// Why a text is not one strict JSON value, and where. Never holds the text.
public struct JSONError: Error, Sendable, Hashable {
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// Nothing but space.
    case empty
    /// The text ends inside a value.
    case truncated
    /// A byte that cannot stand here.
    case unexpected
    /// Something follows the value.
    case trailing
    /// Not well-formed UTF-8.
    case badUTF8
    /// A control character inside a string; it must be escaped.
    case controlCharacter
    /// An escape that JSON does not know.
    case badEscape
    /// Half of a surrogate pair in `\u` escapes.
    case loneSurrogate
    /// Not JSON's number grammar (leading zero or plus, missing digits).
    case badNumber
    /// Two members of one object have the same key.
    case duplicateKey
    /// More arrays and objects inside one another than allowed.
    case tooDeep
    /// More bytes than allowed.
    case tooLong
  }

  public var reason: Reason
  /// Index of the byte, counted from the text's first.
  public var at: Int

  public init(_ reason: Reason, at: Int) {
    self.reason = reason
    self.at = at
  }

  /// The error in words, without a full stop.
  public var sentence: String {
    switch reason {
    case .empty: "there is no value"
    case .truncated: "it ends inside a value at byte \(at)"
    case .unexpected: "byte \(at) cannot stand there"
    case .trailing: "something follows the value at byte \(at)"
    case .badUTF8: "it is not UTF-8 at byte \(at)"
    case .controlCharacter: "a control character stands unescaped at byte \(at)"
    case .badEscape: "the escape at byte \(at) is not one of JSON's"
    case .loneSurrogate: "half of a surrogate pair stands at byte \(at)"
    case .badNumber: "the number at byte \(at) breaks JSON's grammar"
    case .duplicateKey: "the key at byte \(at) appears twice in its object"
    case .tooDeep: "it is nested too deeply at byte \(at)"
    case .tooLong: "it has more than \(at) bytes"
    }
  }
}

/// What a scan accepts.
public struct JSONLimits: Sendable, Hashable {
  /// How many arrays and objects may be open at once; `[[1]]` has depth 2.
  public var depth: Int
  /// Bytes of the whole text.
  public var bytes: Int

  /// 1,024 and 256 MiB: what records and snapshots of our own are read with. The door uses the smaller
  /// numbers of `WireLimits`.
  public init(depth: Int = 1_024, bytes: Int = 256 << 20) {
    self.depth = depth
    self.bytes = bytes
  }
}
