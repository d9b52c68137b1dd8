import BoardroomHosting
import BoardroomModel

/// Which requests an open server answers (OPEN-1). It asks for no token, so it must keep out pages of other
/// sites in a browser on this machine. It does so by the host that a request names and by the origin of the
/// page. A name that somebody else makes resolve to this machine (DNS rebinding) is not one of its names.
/// Pure.
package struct OpenRule: Sendable {
  /// Accepted names besides this machine's own.
  let hosts: [String]
  /// Pages that the operator has named.
  let origins: [String]

  /// - Parameters:
  ///   - hosts: names beside this machine's own.
  ///   - origins: pages that the operator has named.
  package init(hosts: [String], origins: [String]) {
    self.hosts = hosts
    self.origins = origins
  }

  /// What is wrong with a request that has these headers; nil if nothing.
  package func refusal(hosts named: [String], origins pages: [String]) -> Refusal? {
    guard named.count == 1, let host = named.first?.lowercased(), isOwn(host) else { return Self.otherName }
    let isOwnPage = pages.allSatisfy { page in
      let page = page.lowercased()
      return page == "http://" + host || page == "https://" + host || origins.contains(page)
    }
    return isOwnPage ? nil : Self.otherPage
  }

  private func isOwn(_ host: String) -> Bool {
    let name = Self.name(host)
    if hosts.contains(name) { return true }
    if let address = ClientAddress(name), !name.contains("%") { return address.isThisMachine }
    let plain = name.hasSuffix(".") ? name.dropLast() : name[...]
    return plain == "localhost" || plain.hasSuffix(".localhost")
  }

  /// Without the port, and without the brackets of an IPv6 address.
  private static func name(_ host: String) -> String {
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      return String(host[host.index(after: host.startIndex)..<end])
    }
    return String(host.prefix { $0 != ":" })
  }

  private static let otherName = Refusal(
    .forbidden, cause: "An open server answers under this machine's own names only.",
    cure: "Use http://localhost with its port, or let the operator name the host in open.hosts.")
  private static let otherPage = Refusal(
    .forbidden, cause: "Pages of another origin may not use an open server.",
    cure: "Open the server's own page, or let the operator name the origin in cors.origins.")
}

/// Names under which others may call an open server.
public struct HostList: Sendable, Hashable {
  public let names: [String]

  public init() { self.init(names: []) }
  private init(names: [String]) { self.names = names }

  /// `none`, or names and addresses with commas between; nil if one of them is none.
  public init?(_ text: String) {
    guard text != "none" else {
      self.init()
      return
    }
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
      String($0.drop { $0 == " " }).lowercased()
    }
    let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789-.:")
    guard names.allSatisfy({ !$0.isEmpty && $0.allSatisfy(letters.contains) }) else { return nil }
    self.init(names: names)
  }

  public var text: String { names.isEmpty ? "none" : names.joined(separator: ",") }
}
