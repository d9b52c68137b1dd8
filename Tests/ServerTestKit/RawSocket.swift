import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A TCP connection on which a test says and hears every byte itself. Gives up after 30 s of silence. Waits on a
/// thread of its own: Swift's few must stay free for the server in the same process.
package final class RawSocket: Sendable {
  private let descriptor: Int32

  /// - Parameter window: bytes that the system takes for this side and that nobody has read; nil: as many as it likes.
  package init?(port: Int, window: Int? = nil) {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    for side in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, side, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    if var size = window.map(CInt.init) {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard descriptor >= 0, connected == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// The other side may have closed already, which must not end the tests.
  package func send(_ bytes: [UInt8]) {
    #if canImport(Glibc)
      let quietly = Int32(MSG_NOSIGNAL)
    #else
      let quietly: Int32 = 0
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { systemSend($0.baseAddress! + sent, bytes.count - sent, quietly) }
      guard count > 0 else { return }
      sent += count
    }
  }

  private func systemSend(_ bytes: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
    #if canImport(Glibc)
      Glibc.send(descriptor, bytes, count, flags)
    #else
      Darwin.send(descriptor, bytes, count, flags)
    #endif
  }
  package func send(_ text: String) { send(Array(text.utf8)) }

  /// Says that nothing more will be sent.
  package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// What comes next; empty when the other side has closed.
  package func receive() async -> [UInt8] {
    await withCheckedContinuation { heard in
      Thread.detachNewThread { [self] in
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &bytes, bytes.count)
        heard.resume(returning: Array(bytes.prefix(max(0, count))))
      }
    }
  }

  /// Everything up to the end, or up to `mark`.
  package func receive(until mark: String?) async -> String {
    await receive { text in mark.map { text.contains($0) } ?? false }
  }

  /// Everything up to the end, or until it is enough.
  package func receive(enough: (String) -> Bool) async -> String {
    var all: [UInt8] = []
    while true {
      let next = await receive()
      all += next
      let text = String(decoding: all, as: UTF8.self)
      if next.isEmpty || enough(text) { return text }
    }
  }

  /// Asks for a WebSocket, with these headers besides the usual ones.
  package func askForRoom(
    path: String = "/v1/rooms", version: String = "13", key: String = "dGhlIHNhbXBsZSBub25jZQ==",
    offering protocols: String?, more: [String] = []
  ) {
    var lines =
      [
        "GET \(path) HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
        "Sec-WebSocket-Version: \(version)", "Sec-WebSocket-Key: \(key)",
      ] + more
    if let protocols { lines.append("Sec-WebSocket-Protocol: \(protocols)") }
    send(lines.joined(separator: "\r\n") + "\r\n\r\n")
  }

  /// A text frame, masked as a client's must be.
  package func sendFrame(_ text: String) {
    let payload = Array(text.utf8)
    let mask: [UInt8] = [1, 2, 3, 4]
    let length =
      payload.count < 126
      ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    var header: [UInt8] = [0x81, length[0] | 0x80]
    header += length.dropFirst()
    send(header + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] })
  }
}
