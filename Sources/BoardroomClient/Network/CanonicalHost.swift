import NIOCore

/// The one spelling by which hosts are compared: of an IP address its shortest form, of a name its letters in lower case.
func canonicalHost(_ host: String) -> String {
  (try? SocketAddress(ipAddress: host, port: 0))?.ipAddress ?? host.lowercased()
}
