#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An IP address, taken apart: 4 bytes or 16. An IPv4 address inside IPv6 is the IPv4 address.
package struct ClientAddress: Sendable, Hashable {
  let bytes: [UInt8]

  private init(bytes: [UInt8]) {
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
    self.bytes = bytes.starts(with: mapped) && bytes.count == 16 ? Array(bytes.dropFirst(12)) : bytes
  }

  /// As people write it; a zone (`%eth0`) is left out.
  package init?(_ text: some StringProtocol) {
    let text = String(text.prefix { $0 != "%" })
    // Bytes and not `in_addr`: which C module that is of depends on the order in which the compiler meets them.
    var four = [UInt8](repeating: 0, count: 4)
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(bytes: four)
      return
    }
    var six = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
    self.init(bytes: six)
  }

  /// As proxies write it: also with a port, also in brackets.
  init?(forwarded text: some StringProtocol) {
    let text = String(text.filter { $0 != " " && $0 != "\"" })
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      self.init(text[text.index(after: text.startIndex)..<end])
    } else if text.contains("."), let colon = text.firstIndex(of: ":"), !text.hasPrefix("::") {
      self.init(text[..<colon])
    } else {
      self.init(text)
    }
  }

  /// What a limit counts as one place: of IPv6 the first 64 bits, which one customer gets as a whole.
  /// This machine is one place, by whichever of its addresses.
  package var place: ClientAddress {
    if isThisMachine { return ClientAddress(bytes: [127, 0, 0, 1]) }
    return bytes.count == 16 ? ClientAddress(bytes: Array(bytes.prefix(8))) : self
  }

  /// Whether it is this machine itself.
  package var isThisMachine: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// The one spelling in which bans compare addresses. What is no address stays as it is.
  static func normal(_ text: String) -> String { parse(text) ?? text }

  /// The shortest form; nil for what is no address.
  package static func parse(_ text: String) -> String? { ClientAddress(text)?.text }

  package var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The proxies whose word about where a connection comes from is believed.
public struct ProxyList: Sendable, Hashable {
  private struct AddressRange: Sendable, Hashable {
    var address: ClientAddress
    var bits: Int

    func contains(_ other: ClientAddress) -> Bool {
      guard address.bytes.count == other.bytes.count else { return false }
      return (0..<bits).allSatisfy { bit in
        (address.bytes[bit / 8] ^ other.bytes[bit / 8]) & (0x80 >> (bit % 8)) == 0
      }
    }
  }

  private let blocks: [AddressRange]
  public let text: String

  /// Nobody is believed.
  public init() { self.init([], "none") }

  /// `none`, or addresses and blocks such as `10.0.0.0/8` with commas between; nil if it is neither.
  public init?(_ text: String) {
    guard text != "none" else {
      self.init()
      return
    }
    var blocks: [AddressRange] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let block = Self.block(part.filter { $0 != " " }) else { return nil }
      blocks.append(block)
    }
    self.init(blocks, text)
  }

  private init(_ blocks: [AddressRange], _ text: String) {
    self.blocks = blocks
    self.text = text
  }

  private static func block(_ text: String) -> AddressRange? {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = ClientAddress(first) else { return nil }
    let most = address.bytes.count * 8
    guard parts.count == 2 else { return AddressRange(address: address, bits: most) }
    guard let bits = Int(parts[1]), (0...most).contains(bits) else { return nil }
    return AddressRange(address: address, bits: bits)
  }

  package func contains(_ address: ClientAddress) -> Bool { blocks.contains { $0.contains(address) } }

  /// Who is behind the connection: its own address, or, as long as that is a proxy of the list, what it says in
  /// `X-Forwarded-For`, read from its end, because its beginning is what the client said itself.
  package func client(of peer: ClientAddress, forwarded: [String]) -> ClientAddress {
    var client = peer
    var said = forwarded.flatMap { $0.split(separator: ",") }
    while contains(client), let next = said.popLast() {
      guard let address = ClientAddress(forwarded: next) else { break }
      client = address
    }
    return client
  }
}
