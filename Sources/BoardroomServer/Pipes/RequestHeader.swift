import BoardroomAccess
import BoardroomHosting
import EventLogModel
import NIOCore

// What a node says in the header `boardroom-node` of a request that it passes on to another node's port
// (docs/PROTOCOL.md, section 12):
//
//   value    base64url without padding of: content | u8[32] proof
//   content  u8 version | u8 hops | u64 time | u8[16] nonce | name key | name node | name address
//
// `name` is u8 and as many bytes of UTF-8. The proof is that of `NodeProof` over the method, a space, the target, a line
// feed and the content, so that it is good for no other request; no preface begins with a method.

/// Who passes a request on, for whom, and to which node.
struct RequestHeader: Sendable, Equatable, NodeMessage {
  static let name = "boardroom-node"
  static let version: UInt8 = 1
  /// The longest value that is read. 2,048: three of the longest names, and the rest.
  static let longest = 2_048

  var hops = 1
  var time: Timestamp
  var nonce: PrefaceNonce
  /// The id of the pair whose secret has made the proof.
  var key: String
  var node: String
  /// The client's IP address; empty if it is not known.
  var address: String

  /// The value of the header. No name is longer than `PrefaceHeader.longestName`.
  func value(for method: String, _ target: String, proving proof: NodeProof) -> String {
    var content = ByteBuffer()
    content.writeBytes([Self.version, UInt8(hops)])
    content.writeInteger(UInt64(bitPattern: time.milliseconds), endianness: .little)
    for half in [nonce.high, nonce.low] { content.writeInteger(half) }
    for name in [key, node, address] { content.writeName(name) }
    let bytes = Array(content.readableBytesView)
    return Base64URL.encode(bytes + proof.make(of: Self.proved(method, target, bytes)))
  }

  /// Throws what the header is not, of a request with this method and target.
  init(_ value: String, of method: String, _ target: String, by proof: NodeProof) throws(PrefaceFault) {
    guard value.utf8.count <= Self.longest else { throw .tooLarge }
    guard let all = Base64URL.decode(value[...]), all.count > NodeProof.count else { throw .malformed }
    let bytes = Array(all.dropLast(NodeProof.count))
    guard bytes[0] == Self.version else { throw .otherVersion }
    var content = ByteBuffer(bytes: bytes.dropFirst())
    guard let hops = content.readInteger(as: UInt8.self),
      let time = content.readInteger(endianness: .little, as: UInt64.self),
      let high = content.readInteger(as: UInt64.self), let low = content.readInteger(as: UInt64.self),
      let key = try content.readName(), let node = try content.readName(),
      let address = try content.readName(), content.readableBytes == 0
    else { throw .malformed }
    guard proof.isRight(Array(all.suffix(NodeProof.count)), of: Self.proved(method, target, bytes), by: key)
    else { throw .forged }
    self.init(
      hops: Int(hops), time: Timestamp(milliseconds: Int64(bitPattern: time)),
      nonce: PrefaceNonce(high: high, low: low), key: key, node: node, address: address)
  }

  init(hops: Int = 1, time: Timestamp, nonce: PrefaceNonce, key: String, node: String, address: String) {
    self.hops = hops
    self.time = time
    self.nonce = nonce
    self.key = key
    self.node = node
    self.address = address
  }

  private static func proved(_ method: String, _ target: String, _ content: [UInt8]) -> [UInt8] {
    Array("\(method) \(target)\n".utf8) + content
  }
}
