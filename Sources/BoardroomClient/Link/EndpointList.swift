import BoardroomModel

/// The addresses of one server, or of several that serve the same rooms with the same keys: 1 to `EndpointList.most`. A client
/// tries them in an order that chance makes once, the next one after each attempt that came to nothing and after each loss, and
/// stays where it is in. Tokens and uuids are the same at each.
public struct EndpointList: Sendable, Hashable {
  /// The most addresses of a list. 16: more than the nodes that a cluster is made for, and few enough that a join gets around
  /// once within its usual time, where all of them refuse.
  public static let most = 16

  /// All of them, as they were given; one at least.
  public let all: [Endpoint]

  /// The first one as given: recordings and logs are read from it.
  public var first: Endpoint { all[0] }

  /// A list of one.
  public init(_ endpoint: Endpoint) { all = [endpoint] }

  /// A list of several. Throws `badParameter` for one that is empty or too long, that names an address twice (host, however it is
  /// written, and port: another path is no other address), or an address that cannot be one; and for one of which some speak
  /// TLS and some do not: whoever is on the way could keep a client from those that prove who they are.
  public init(_ endpoints: [Endpoint]) throws(BoardroomError) {
    guard (1...Self.most).contains(endpoints.count) else {
      throw Self.wrong(
        "The list of servers has \(endpoints.count) addresses; it may have 1 to \(Self.most).",
        "Name the nearest ones, or a name that leads to all.")
    }
    var known: Set<Endpoint> = []
    for endpoint in endpoints {
      guard !endpoint.host.isEmpty, (1...65_535).contains(endpoint.port) else {
        throw Self.wrong(
          "The list of servers has \(endpoint.address), which is no address.",
          "Give a name or an address, and a port from 1 to 65535.")
      }
      guard known.insert(endpoint.key).inserted else {
        throw Self.wrong(
          "The list of servers has \(endpoint.address) twice.",
          "Name each address once; another path at it is no other address.")
      }
    }
    guard Set(endpoints.map(\.isSecure)).count == 1 else {
      throw Self.wrong(
        "Some servers of the list speak TLS and some do not.", "Name all with TLS, or all without.")
    }
    all = endpoints
  }

  private static func wrong(_ cause: String, _ cure: String) -> BoardroomError {
    BoardroomError(.badParameter, cause: cause, cure: cure)
  }

  /// The place of the address that a server names; nil if it is none of these: a token goes where the app has said, and nowhere
  /// else.
  func place(of address: ServerAddress) -> Int? {
    all.firstIndex {
      canonicalHost($0.host) == canonicalHost(address.host) && $0.port == address.port
        && $0.isSecure == address.isSecure
    }
  }
}

extension Endpoint {
  /// By what an address is told from others: a server names host and port, and no path.
  fileprivate var key: Endpoint {
    Endpoint(host: canonicalHost(host), port: port, path: "", isSecure: isSecure)
  }
}
