import BoardroomHosting
import BoardroomServer
import EventLogModel
import Foundation
import Logging

/// A node of several that serve one database: its name, and where the others reach it.
struct NodePlace: Sendable, Hashable {
  var name: String
  /// `host:port`, or `https://host:port` where the port speaks TLS. As it stands in the database.
  var address: String

  /// Nil if the address is not one of these.
  var nodeAddress: NodeAddress? {
    let text = address.contains("://") ? address : "http://" + address
    guard let parts = URLComponents(string: text), let scheme = parts.scheme,
      ["http", "https"].contains(scheme),
      let host = parts.host, !host.isEmpty, let port = parts.port, (1...65_535).contains(port),
      parts.path.isEmpty, parts.query == nil, parts.user == nil
    else { return nil }
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    return NodeAddress(name: name, host: bare, port: port, isSecure: scheme == "https")
  }
}

extension ServeCommand {
  /// This node among several; nil: the server is alone.
  func nodePlace(_ settings: ServerSettings) throws -> NodePlace? {
    guard node != nil || address != nil || clientsReachNodes else { return nil }
    guard let node, let address, settings.place.isDatabase else {
      throw Failure(
        .usage,
        "--node, --address and --clients-reach-nodes are for a server that shares a database with others.",
        "Give --node and --address, and the database with --data.")
    }
    let place = NodePlace(name: node, address: address)
    guard !node.isEmpty, place.nodeAddress != nil else {
      throw Failure(
        .usage, "--address is not one.", "Write --address host:port, or --address https://host:port.",
        code: "nodeAddress")
    }
    return place
  }
}

/// What a store tells of the nodes that share it.
enum NodeNews: Sendable {
  /// This node has recovered a dead one.
  case recovered(node: String, logs: [LogID])
  case recoveryFailed(reason: String)
  /// Another node is gone, and not there again at the same address.
  case gone(NodePlace)
  /// Others have fenced this node: it is started again.
  case fenced
  /// This machine's clock is more than a second ahead of the database's; negative: behind it.
  case clockDiffers(seconds: Double)
}

extension NodeNews {
  func note(in logger: Logger) {
    switch self {
    case .recovered(let node, let logs):
      logger.warning(
        "a node was lost, and its logs are free", metadata: ["node": "\(node)", "logs": "\(logs.count)"])
    case .recoveryFailed(let reason):
      logger.error("the logs of a lost node cannot be recovered now", metadata: ["why": "\(reason)"])
    case .gone: break
    case .clockDiffers(let seconds):
      logger.warning(
        "the clock differs from the database's", metadata: ["seconds": "\(seconds)", "most": "1"])
    case .fenced: logger.critical("other nodes have taken this one for dead")
    }
  }
}
