import EventLogModel
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Why a server cannot be reached.
package enum ServerTrouble: Sendable, Hashable {
  /// The name has no address.
  case nameNotFound
  /// Nothing listens on the port.
  case refused
  /// No answer came within the time of an attempt.
  case noAnswer
  /// There is no way to the address, or the connection broke.
  case unreachable
  /// The address asks for TLS, and the port does not speak it.
  case noTLS
  /// The port speaks TLS, and the address asks for none.
  case needsTLS
  /// Nobody who is trusted vouches for the certificate.
  case unknownAuthority
  /// The certificate is valid no longer, or not yet.
  case expired(Timestamp)
  case notYetValid(Timestamp)
  /// The certificate is for these names, and not for that of the address.
  case wrongName([String])
}

/// Finds out why a server cannot be reached: it opens connections of its own and looks how they end.
package struct ServerProbe: Sendable {
  /// How a server is asked.
  private enum ProbeSecurity: Sendable, Hashable {
    case plain
    case verified
    /// With TLS, whoever answers.
    case unverified
  }

  fileprivate enum ProbeAnswer: Sendable {
    /// The first bytes, and the certificate that came before them.
    case bytes([UInt8], NIOSSLCertificate?)
    case closed
    case failed(any Error)
    case late
  }

  /// Time for a connection, and again for an answer. 4 s: as for an attempt of the SDK.
  private static let patience = TimeAmount.seconds(4)
  /// The most bytes of an answer that are looked at, and the most names of a certificate that are told.
  fileprivate static let mostBytes = 64
  private static let mostNames = 5

  private let endpoint: Endpoint
  private let trust: TrustRoots?

  /// - Parameter trust: Whose certificates count besides the system's.
  package init(_ endpoint: Endpoint, trust: TrustRoots?) { (self.endpoint, self.trust) = (endpoint, trust) }

  /// What keeps this machine from the server at `now`; nil if it answers.
  package func trouble(at now: Timestamp) async -> ServerTrouble? {
    let answer = await ask(endpoint.isSecure ? .verified : .plain)
    if let trouble = Self.connecting(answer) { return trouble }
    return endpoint.isSecure ? await secureTrouble(answer, now) : await plainTrouble(answer)
  }

  /// A port that speaks TLS closes a plain connection, or answers with an alert or with 400.
  private func plainTrouble(_ answer: ProbeAnswer) async -> ServerTrouble? {
    let isHTTP = Self.isHTTP(answer)
    if isHTTP, !Self.isBadRequest(answer) { return nil }
    if case .bytes = await ask(.unverified) { return .needsTLS }
    return isHTTP ? nil : .unreachable
  }

  private func secureTrouble(_ answer: ProbeAnswer, _ now: Timestamp) async -> ServerTrouble? {
    if case .bytes = answer { return nil }
    guard case .failed(let error) = answer, case .bytes(_, let certificate?) = await ask(.unverified) else {
      return Self.isHTTP(await ask(.plain)) ? .noTLS : .unreachable
    }
    if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
      return .wrongName(Self.names(of: certificate))
    }
    let (begin, end) = (Self.time(certificate.notValidBefore), Self.time(certificate.notValidAfter))
    if end < now { return .expired(end) }
    return begin > now ? .notYetValid(begin) : .unknownAuthority
  }

  // MARK: Answers

  private static func isHTTP(_ answer: ProbeAnswer) -> Bool {
    if case .bytes(let bytes, _) = answer { bytes.starts(with: "HTTP/1.".utf8) } else { false }
  }

  private static func isBadRequest(_ answer: ProbeAnswer) -> Bool {
    if case .bytes(let bytes, _) = answer { bytes.dropFirst(9).starts(with: "400".utf8) } else { false }
  }

  private static func time(_ seconds: time_t) -> Timestamp {
    let (milliseconds, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
    return Timestamp(milliseconds: overflow ? .max : milliseconds)
  }

  private static func names(of certificate: NIOSSLCertificate) -> [String] {
    let names = certificate._subjectAlternativeNames().compactMap { name -> String? in
      name.nameType == .dnsName ? String(decoding: name.contents, as: UTF8.self) : nil
    }
    return Array(names.prefix(mostNames))
  }

  /// What happened before anything was sent; nil if there was a connection.
  private static func connecting(_ answer: ProbeAnswer) -> ServerTrouble? {
    switch answer {
    case .late: .noAnswer
    case .failed(let error as NIOConnectionError): connecting(error)
    case .failed(let error): connecting(error)
    case .bytes, .closed: nil
    }
  }

  private static func connecting(_ error: NIOConnectionError) -> ServerTrouble {
    guard !error.connectionErrors.isEmpty else { return .nameNotFound }
    // Of several addresses, the one that came farthest.
    let troubles = error.connectionErrors.map { connecting($0.error) ?? .unreachable }
    return [.refused, .noAnswer].first { troubles.contains($0) } ?? .unreachable
  }

  private static func connecting(_ error: any Error) -> ServerTrouble? {
    switch error {
    case let error as IOError: error.errnoCode == ECONNREFUSED ? .refused : .unreachable
    case ChannelError.connectTimeout: .noAnswer
    case is SocketAddressError: .nameNotFound
    default: nil
    }
  }

  // MARK: One attempt

  /// Who is cancelled waits no longer: the connection is closed, and the answer came too late.
  private func ask(_ security: ProbeSecurity) async -> ProbeAnswer {
    guard !Task.isCancelled else { return .late }
    let tls: NIOSSLContext?
    do { tls = security == .plain ? nil : try context(security) } catch { return .failed(error) }
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: ProbeAnswer.self)
    // A name goes along for the server to choose its certificate by; an address must not (RFC 6066, section 3).
    let isAddress = (try? SocketAddress(ipAddress: endpoint.host, port: 0)) != nil
    let name = isAddress ? nil : endpoint.host
    let connecting = ClientBootstrap(group: loop).connectTimeout(Self.patience)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name)) }
          try pipeline.addHandler(FirstAnswer(answer))
        }
      }
      .connect(host: endpoint.host, port: endpoint.port)
    connecting.whenFailure { answer.succeed(.failed($0)) }
    connecting.whenSuccess { [request] channel in
      channel.writeAndFlush(ByteBuffer(string: request), promise: nil)
      let limit = channel.eventLoop.scheduleTask(in: Self.patience) { answer.succeed(.late) }
      answer.futureResult.whenComplete { _ in
        limit.cancel()
        channel.close(promise: nil)
      }
    }
    return await withTaskCancellationHandler {
      (try? await answer.futureResult.get()) ?? .closed
    } onCancel: {
      answer.succeed(.late)
    }
  }

  private var request: String {
    let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
    return "GET /healthz HTTP/1.1\r\nHost: \(host):\(endpoint.port)\r\nConnection: close\r\n\r\n"
  }

  private func context(_ security: ProbeSecurity) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    if security == .unverified { configuration.certificateVerification = .none }
    if let trust { configuration.additionalTrustRoots = [.certificates(trust.certificates)] }
    return try NIOSSLContext(configuration: configuration)
  }
}

/// Tells the first thing that happens on a connection.
private final class FirstAnswer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let answer: EventLoopPromise<ServerProbe.ProbeAnswer>

  init(_ answer: EventLoopPromise<ServerProbe.ProbeAnswer>) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data).readableBytesView.prefix(ServerProbe.mostBytes)
    let tls = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
    answer.succeed(.bytes(Array(bytes), tls?.peerCertificate))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { answer.succeed(.failed(error)) }

  func channelInactive(context: ChannelHandlerContext) { answer.succeed(.closed) }
}
