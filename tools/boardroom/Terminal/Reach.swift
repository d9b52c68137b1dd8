import BoardroomClient
import BoardroomHosting
import BoardroomModel

/// A server that a command was told to use, and what is said when it cannot be reached.
struct NamedServer: Sendable {
  /// How often a server is tried before it counts as absent, because it may be starting.
  private static let tries = 3
  private static let pause = Duration.milliseconds(500)

  let endpoint: Endpoint
  let trust: TrustRoots?

  init(_ endpoint: Endpoint, trust: TrustRoots?) { (self.endpoint, self.trust) = (endpoint, trust) }

  /// Why the server cannot be reached now, by name; nil if it answers.
  func trouble() async -> Failure? {
    await ServerProbe(endpoint, trust: trust).trouble(at: .wallClock).map { Failure($0, at: endpoint) }
  }

  /// The same after an answer with this status: a port that speaks TLS has 400 for whoever does not.
  func trouble(behind status: Int) async -> Failure? {
    status == 400 && !endpoint.isSecure ? await trouble() : nil
  }

  /// The same after a request had no answer, for which `why` is said if the server answers now.
  func failure(saying why: String) async -> Failure {
    await trouble()
      ?? Failure(
        .unavailable, "\(endpoint.place) does not answer: \(why).", "Try again.", at: endpoint.place,
        code: "noAnswer")
  }

  /// The same after a request that failed so.
  func failure(after failure: ConnectionFailure) async -> Failure {
    await trouble()
      ?? Failure(.unavailable, failure.description, failure.cure, at: endpoint.place, code: "noAnswer")
  }

  /// The first of several that answers; of one alone nothing is asked. If none does, the first one, whose trouble is said then.
  static func answering(_ servers: EndpointList, trust: TrustRoots?) async -> NamedServer {
    guard servers.all.count > 1 else { return NamedServer(servers.first, trust: trust) }
    let (answering, _) = await asked(servers, trust: trust)
    return NamedServer(answering ?? servers.first, trust: trust)
  }

  /// Asks all servers at once, because each one that is silent takes seconds. The first that answers; if none does, the trouble
  /// of each, in the order of the list.
  private static func asked(
    _ servers: EndpointList, trust: TrustRoots?
  ) async -> (answering: Endpoint?, troubles: [ServerTrouble]) {
    await withTaskGroup(of: (Int, ServerTrouble?).self) { group in
      for (place, endpoint) in servers.all.enumerated() {
        group.addTask {
          let trouble = await ServerProbe(endpoint, trust: trust).trouble(at: .wallClock)
          return (place, trouble)
        }
      }
      var troubles: [Int: ServerTrouble] = [:]
      for await (place, trouble) in group {
        guard let trouble else {
          // The group waits for all: those that are silent are left.
          group.cancelAll()
          return (answering: servers.all[place], troubles: [])
        }
        troubles[place] = trouble
      }
      return (answering: nil, troubles: servers.all.indices.compactMap { troubles[$0] })
    }
  }

  /// Returns when one of the servers answers. With `waiting` it waits without end for one that is not there; otherwise
  /// it fails with the exit status for a server that does not answer.
  static func reach(
    _ servers: EndpointList, trust: TrustRoots?, waiting: Bool, quiet: Bool
  ) async throws {
    var tried = 0
    while true {
      let (answering, troubles) = await asked(servers, trust: trust)
      if answering != nil { return }
      tried += 1
      let mayPass = troubles.contains { $0.mayPass }
      guard mayPass, waiting || tried < Self.tries else { throw Failure(troubles[0], at: servers.first) }
      if waiting, tried == 1, !quiet {
        let names = servers.all.map { "\($0.host), port \($0.port)," }.joined(separator: " or ")
        Terminal.note("Waiting for \(names) to answer.")
      }
      try await Task.sleep(for: Self.pause)
    }
  }
}

extension LiveOptions {
  /// Returns when a server of these options answers: see `NamedServer.reach`.
  func reach(waiting: Bool, quiet: Bool) async throws {
    try await NamedServer.reach(
      try servers(), trust: try trust.roots(), waiting: waiting, quiet: quiet)
  }
}

extension Endpoint {
  /// As `https://board.example.org:443`.
  var place: String {
    "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}

extension ServerTrouble {
  /// Whether a server that is only starting looks like this.
  fileprivate var mayPass: Bool {
    switch self {
    case .nameNotFound, .refused, .noAnswer, .unreachable: true
    case .noTLS, .needsTLS, .unknownAuthority, .expired, .notYetValid, .wrongName: false
    }
  }

  fileprivate var code: String {
    switch self {
    case .nameNotFound: "nameNotFound"
    case .refused: "connectionRefused"
    case .noAnswer: "noAnswer"
    case .unreachable: "unreachable"
    case .noTLS: "noTLS"
    case .needsTLS: "needsTLS"
    case .unknownAuthority: "unknownAuthority"
    case .expired: "certificateExpired"
    case .notYetValid: "certificateNotYetValid"
    case .wrongName: "wrongName"
    }
  }
}

extension Failure {
  fileprivate init(_ trouble: ServerTrouble, at endpoint: Endpoint) {
    let name = "\(endpoint.host), port \(endpoint.port)"
    let (what, help): (String, String) =
      switch trouble {
      case .nameNotFound:
        ("There is no address for the name \(endpoint.host).", "Check --server, and this machine's network.")
      case .refused:
        (
          "\(name), does not answer: the connection was refused.",
          "Start it with `boardroom serve`, or name it with --server."
        )
      case .noAnswer:
        ("\(name), does not answer in time.", "Check --server, that it runs, and what lies on the way to it.")
      case .unreachable:
        ("\(name), cannot be reached: the connection broke.", "Check --server, and this machine's network.")
      case .noTLS:
        (
          "\(name), does not speak TLS.",
          "Name it with http:// or ws:// in --server, or give the server a certificate."
        )
      case .needsTLS: ("\(name), speaks TLS only.", "Name it with https:// or wss:// in --server.")
      case .unknownAuthority:
        (
          "The certificate of \(name), is not from an authority that this machine knows.",
          "If it is your own, give its file, or its authority's, with --trust FILE."
        )
      case .expired(let end):
        (
          "The certificate of \(name), expired at \(Text.time(end)).",
          "Renew it on the server, and check this machine's clock."
        )
      case .notYetValid(let begin):
        (
          "The certificate of \(name), is valid from \(Text.time(begin)) on.",
          "Check this machine's clock, and that of who made the certificate."
        )
      case .wrongName(let names):
        (
          "The certificate of \(name), is for another name"
            + (names.isEmpty ? "." : ": \(Text.visible(names.joined(separator: ", "), limit: 200))."),
          "Name the server in --server as its certificate does, or give it one for this name."
        )
      }
    self.init(.unavailable, what, help, at: endpoint.place, code: trouble.code)
  }
}
