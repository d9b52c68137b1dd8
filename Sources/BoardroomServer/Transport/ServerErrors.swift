import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Why a server that was running has ended.
public enum ServerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The store met a failure, such as a flush that failed or a data folder that is gone. What was acknowledged is there at the
  /// next start.
  case storeStopped(reason: String)

  public var description: String {
    switch self {
    case .storeStopped(let reason):
      "The log has stopped: \(reason)\(reason.hasSuffix(".") ? "" : ".") Look at the disk and start the server again: what was acknowledged is there."
    }
  }
}

/// Why the server does not listen.
public enum ServerStartError: Error, Sendable, Hashable, CustomStringConvertible {
  case portInUse(host: String, port: Int)
  case notAllowed(host: String, port: Int)
  case noSuchHost(String)
  case notOurs(host: String)
  case cannotListen(host: String, port: Int, code: Int32)
  /// The cursors of webhooks cannot be stored, or their secret cannot be read.
  case webhooks(String)
  /// The authorities of other nodes' certificates cannot be read.
  case nodeTrust(path: String)
  /// The node's name cannot be one.
  case nodeName(String)
  /// The port of the measurements cannot be opened.
  case measurements(ListenAddress, code: Int32)

  init(_ error: IOError, host: String, port: Int) {
    self =
      switch error.errnoCode {
      case EADDRINUSE: .portInUse(host: host, port: port)
      case EACCES, EPERM: .notAllowed(host: host, port: port)
      case EADDRNOTAVAIL: .notOurs(host: host)
      default: .cannotListen(host: host, port: port, code: error.errnoCode)
      }
  }

  public var description: String {
    switch self {
    case .portInUse(let host, let port):
      "Port \(port) on \(host) is in use. Stop what listens there, or choose another with --port."
    case .notAllowed(let host, let port):
      "This user may not listen on port \(port) of \(host). Choose one above 1023 with --port."
    case .noSuchHost(let host):
      "\(host) is neither an address nor a name that is known here. Check --host."
    case .notOurs(let host):
      "\(host) is not an address of this machine. Use one of its own with --host, or 0.0.0.0 for all of them."
    case .cannotListen(let host, let port, let code):
      "Cannot listen on \(host), port \(port) (error \(code)). Check --host."
    case .webhooks(let why): why
    case .nodeTrust(let path):
      "\(path) holds no certificates in PEM that can be read. Name the file with the authorities of the other nodes."
    case .nodeName(let name): "\"\(name)\" cannot be a node's name. Choose one of 1 to 255 bytes."
    case .measurements(let address, let code):
      "Cannot show measurements on \(address.text) (error \(code)). Set another address or port in metrics.listen."
    }
  }
}
