import BoardroomClient
import Foundation

extension LiveOptions {
  /// How often a connection is tried before the server counts as absent, because it may be starting.
  private static let tries = 3
  private static let pause = Duration.milliseconds(500)

  /// Returns when something listens at the server's address. With `waiting` it waits without end; otherwise
  /// it fails with the exit status for a server that does not answer.
  func reach(waiting: Bool, quiet: Bool) async throws {
    let endpoint = try endpoint()
    let name = "\(endpoint.host), port \(endpoint.port)"
    var tried = 0
    while !(await Self.listens(endpoint)) {
      tried += 1
      guard waiting || tried < Self.tries else {
        throw Failure(
          .unavailable,
          "Nothing answers at \(name). Start it with `boardroom serve`, or name it with --server.")
      }
      if waiting, tried == 1, !quiet { Terminal.note("Waiting for \(name) to answer.") }
      try await Task.sleep(for: Self.pause)
    }
  }

  private static func listens(_ endpoint: Endpoint) async -> Bool {
    await withCheckedContinuation { answer in
      Thread.detachNewThread { answer.resume(returning: Connecting.succeeds(endpoint)) }
    }
  }
}

/// One attempt at a TCP connection, to see whether a server is there.
private enum Connecting {
  /// Milliseconds for an answer: as for an attempt of the SDK.
  private static let patience: Int32 = 4_000

  static func succeeds(_ endpoint: Endpoint) -> Bool {
    var wish = addrinfo()
    #if canImport(Glibc)
      wish.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      wish.ai_socktype = SOCK_STREAM
    #endif
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(endpoint.host, String(endpoint.port), &wish, &found) == 0 else { return false }
    defer { freeaddrinfo(found) }
    return sequence(first: found) { $0?.pointee.ai_next }.prefix { $0 != nil }
      .contains { $0.map { connects($0.pointee) } ?? false }
  }

  private static func connects(_ address: addrinfo) -> Bool {
    let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return false }
    if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return true }
    guard errno == EINPROGRESS else { return false }
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&wait, 1, patience) == 1 else { return false }
    var failure: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0
  }
}
