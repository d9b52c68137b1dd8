/// Where a store is: in a folder, or in a database of PostgreSQL.
///
/// A database's address may hold a password. `description` never has it, so that a place can stand in logs and errors.
public enum StorePlace: Sendable, Hashable {
  case folder(String)
  /// An address that begins with `postgres://` or `postgresql://`, as libpq takes it; or a text that is meant as an
  /// address and is none that is taken (`isReadable`), in which there may be a password.
  case database(address: String)

  /// Any text that is not meant as an address of a database names a folder.
  public init(_ text: String) { self = Self.meansDatabase(text) ? .database(address: text) : .folder(text) }

  private static let schemes = ["postgres://", "postgresql://"]
  /// With which of libpq's keywords an address of the form `host=db password=x` may begin.
  private static let keywords: Set<Substring> = [
    "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "service", "sslmode", "options",
    "application_name", "connect_timeout", "target_session_attrs",
  ]

  /// Whether a text begins with a scheme, be it a wrong one, or with a keyword of libpq.
  private static func meansDatabase(_ text: String) -> Bool {
    let start = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    let rest = text[start.endIndex...]
    if !start.isEmpty, rest.hasPrefix("://") { return true }
    let word = text.lowercased().prefix { $0 != "=" }.drop { $0 == " " }.prefix { $0 != " " }
    return text.contains("=") && keywords.contains(word)
  }

  public var isDatabase: Bool {
    if case .database = self { true } else { false }
  }
}

extension StorePlace: CustomStringConvertible, CustomDebugStringConvertible {
  /// The folder; or hosts, ports and name of the database, without user, password and options.
  public var description: String {
    switch self {
    case .folder(let path): path
    case .database(let address): Self.named(address) ?? "postgresql://…"
    }
  }

  public var debugDescription: String { description }

  /// Whether `description` names the database. Of an address in which a password could be taken for a host it
  /// does not, and such an address is refused.
  public var isReadable: Bool {
    guard case .database(let address) = self else { return true }
    return Self.named(address) != nil
  }

  /// The options of an address that say where the database is.
  private static let shown = ["host=", "hostaddr=", "port=", "dbname="]

  /// Nil if it is not certain what of the address is a password.
  private static func named(_ address: String) -> String? {
    guard let scheme = schemes.first(where: { address.lowercased().hasPrefix($0) }) else { return nil }
    var rest = address.dropFirst(scheme.count)
    // As libpq reads it: the user is what stands before the first @, if no slash comes earlier.
    var namesUser = false
    if let mark = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[mark] == "@" {
      rest = rest[rest.index(after: mark)...]
      namesUser = true
    }
    guard !rest.contains("@") else { return nil }
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let place = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard place[0].split(separator: ",").allSatisfy(isHost) else { return nil }
    // Without a user and a name of the database, the digits in `anna:12345` may be anything.
    guard namesUser || place.count > 1 || !place[0].contains(":") else { return nil }
    let options = (parts.count > 1 ? parts[1].split(separator: "&") : []).filter { option in
      shown.contains { option.hasPrefix($0) }
    }
    let path = place.count > 1 ? "/" + place[1] : ""
    return "postgresql://" + place[0] + path
      + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
  }

  /// A name or an address, and a port in digits.
  private static func isHost(_ text: Substring) -> Bool {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return false }
      return isPort(text[text.index(after: end)...])
    }
    return isPort(text[(text.firstIndex(of: ":") ?? text.endIndex)...])
  }

  /// Nothing, or a colon and a port in digits, which is at most 65535: a longer number is no port.
  private static func isPort(_ text: Substring) -> Bool {
    guard text.first == ":" else { return text.isEmpty }
    let digits = text.dropFirst()
    return digits.allSatisfy(\.isASCIIDigit) && (digits.isEmpty || UInt16(digits) != nil)
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
