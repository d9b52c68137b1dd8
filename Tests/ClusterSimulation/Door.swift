import NodeCore

/// One writing connection of a node, with the row that fences it: the model of `FencedConnection`.
final class Door {
  private unowned let node: ClusterNode
  private let purpose: Int
  /// After so long without an answer to its link a connection is given up, and all servers are asked anew; microseconds.
  private static let linkPatience = 5_000_000
  private var count = LinkCount()
  private var connection: Connection?

  init(_ node: ClusterNode, purpose: Int) { (self.node, self.purpose) = (node, purpose) }

  var link: Int64 { count.link }

  func drop() {
    connection?.drop()
    connection = nil
  }

  /// For a strike at it.
  var open: Connection? { connection }

  /// - Parameter isPatient: tries until it has one; else `then` is given nil where nobody answers.
  func connected(isPatient: Bool, then: @escaping (Connection?) -> Void) {
    if let connection { return then(connection) }
    node.connect { [self] fresh in
      guard let fresh else { return again(isPatient, then) }
      if node.life.planted == .noNewLink, count.link > 0 {
        connection = fresh
        return then(fresh)
      }
      guard count.isUnanswered else { return link(fresh, isPatient, then) }
      waitForEarlier(fresh, isPatient, since: node.life.clock.now, then)
    }
  }

  private func again(_ isPatient: Bool, _ then: @escaping (Connection?) -> Void) {
    guard isPatient else { return then(nil) }
    node.process.after(100_000) { [self] in connected(isPatient: true, then: then) }
  }

  /// An earlier link may wait at the server still.
  private func waitForEarlier(
    _ fresh: Connection, _ isPatient: Bool, since: Int, _ then: @escaping (Connection?) -> Void
  ) {
    var isUnderWay = false
    let (tag, incarnation, server) = (tag, node.incarnation, fresh.session.server)
    let request = SessionRequest(
      tag: "look",
      body: { _ in
        isUnderWay = server.sessions.contains { $0.incarnation == incarnation && $0.current?.tag == tag }
        return .writes([])
      })
    fresh.ask(request, limit: ClusterLife.silence) { [self] answer in
      guard case .carriedOut = node.meaning(answer) else {
        fresh.drop()
        return again(isPatient, then)
      }
      guard isUnderWay else { return link(fresh, isPatient, then) }
      guard isPatient, limit(true).map({ node.life.clock.now - since < $0 }) ?? true else {
        fresh.drop()
        return again(isPatient, then)
      }
      node.process.after(100_000) { [self] in waitForEarlier(fresh, isPatient, since: since, then) }
    }
  }

  private func limit(_ isPatient: Bool) -> Int? {
    guard isPatient else { return ClusterLife.silence }
    return [.oldPrimaryKept, .linkWaitsForEver].contains(node.life.planted) ? nil : Self.linkPatience
  }

  /// An answer that wrote nothing waits for no standby: an old primary gives it, too. So it counts when a record behind it
  /// is replicated.
  private func confirm(
    _ loss: String, _ fresh: Connection, _ isPatient: Bool, _ then: @escaping (Connection?) -> Void
  ) {
    guard node.life.planted != .lossUnconfirmed else { return node.end(.stopped(loss)) }
    let record = SessionRequest(tag: "record", body: { _ in .writes([.message]) })
    fresh.ask(record, limit: limit(isPatient)) { [self] answer in
      guard case .carriedOut = node.meaning(answer) else {
        fresh.drop()
        return again(isPatient, then)
      }
      node.end(.stopped(loss))
    }
  }

  private var tag: String { "link \(purpose)" }

  private func link(_ fresh: Connection, _ isPatient: Bool, _ then: @escaping (Connection?) -> Void) {
    count.sent()
    var (isKnown, number): (Bool, Int64?) = (false, nil)
    let (purpose, incarnation) = (purpose, node.incarnation)
    let request = SessionRequest(
      tag: tag, wishes: [.alone(.fence(incarnation, purpose: purpose))],
      body: { tables in
        guard let row = tables.incarnations[incarnation] else { return .writes([]) }
        isKnown = true
        guard !row.fences[purpose].isFenced else { return .writes([]) }
        number = Int64(row.fences[purpose].link + 1)
        return .writes([.link(incarnation, purpose, row.fences[purpose].link + 1)])
      })
    fresh.ask(request, limit: limit(isPatient)) { [self] answer in
      switch node.meaning(answer) {
      case .carriedOut:
        switch count.answered(isKnown: isKnown, link: number) {
        case .linked:
          connection = fresh
          then(fresh)
        case .fenced: node.end(.fenced)
        case .startIsMissing: confirm("the database has no start of it any more", fresh, isPatient, then)
        case .linkIsMissing:
          confirm("the database has an earlier link than was answered", fresh, isPatient, then)
        }
      case .passes:
        count.refused()
        fresh.drop()
        again(isPatient, then)
      case .refused(let state): node.end(.stopped("a link was refused: \(state)"))
      case .unknown:
        fresh.drop()
        again(isPatient, then)
      }
    }
  }
}
