#if canImport(Network)
  import NIOCore
  import NIOTransportServices
  import Network

  // Apple's platforms only. Neither this file nor what it stands on is built by this repository's continuous integration,
  // which runs on Linux.

  extension LoopContext {
    /// A context whose WebSockets go over Network.framework: with the system's proxies, VPN and choice of network.
    ///
    /// TLS is the SDK's own all the same, so that `TrustRoots` hold. A connection that the SDK abandons is closed as any
    /// other, because Network.framework has no `SO_LINGER`: a command that was reported as failed may still reach the
    /// server, as after a lost connection.
    ///
    /// - Parameter speed: as in `init(_:speed:)`.
    public static func networkFramework(speed: Int = 1) -> LoopContext {
      LoopContext(NIOTSEventLoopGroup.singleton.next(), speed: speed)
    }
  }

  extension ConnectionFailure.Cause {
    /// What an error of Network.framework means; nil if it is none.
    static func networkFramework(_ error: any Error) -> Self? {
      guard let error = error as? NWError else { return nil }
      switch error {
      case .posix(let code): return Self(errno: code.rawValue, during: .connecting)
      case .dns: return .unknownHost
      case .tls: return .handshake
      default: return .closed(.connecting)
      }
    }
  }
#else
  extension ConnectionFailure.Cause {
    /// There is no Network.framework here.
    static func networkFramework(_ error: any Error) -> Self? { nil }
  }
#endif
