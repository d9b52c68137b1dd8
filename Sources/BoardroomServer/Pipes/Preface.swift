import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import EventLogModel
import NIOCore

// What a node says first on a connection to another node's port (docs/PROTOCOL.md, section 12):
//
//   preface  header | u8[32] proof | content | u8[32] proof
//   header   u8[4] F2 "BNP" | u8 version | u8 hops | u8 subprotocol | u64 time | u8[16] nonce | u8[16] log
//            u32 length of the content | name key | name node
//   content  name address | bytes hello | bytes early
//   answer   u8[4] F2 "BNA" | u8 version | u8 verdict
//
// `name` is u8 and as many bytes of UTF-8, `bytes` is u32 and as many bytes. Each proof is that of `NodeProof` over all
// bytes before it. The first one is there so that nobody but a node can make another one keep a content. Behind the
// answer `joined` come the bytes of the WebSocket, both ways.

/// Why a preface is refused.
package enum PrefaceFault: String, Error, Sendable, Hashable, CaseIterable {
  /// It is no preface, or its fields do not fit.
  case malformed
  case tooLarge
  case otherVersion
  /// Its proof is not that of a node with our keys.
  case forged
  /// It is too old, or from the future: the clocks of two nodes differ.
  case late
  /// It came before.
  case replayed
  /// It is for another node.
  case misdirected
  /// Its client has been sent on once before.
  case circle
  /// As many prefaces came in a short time as this node remembers.
  case flood
  /// It was not complete in time.
  case slow
}

/// Who sends a client on, and where.
struct PrefaceHeader: Sendable, Equatable {
  /// The first byte of a preface: no HTTP method and no TLS record begins with it.
  static let first: UInt8 = 0xF2
  static let magic: [UInt8] = [first] + Array("BNP".utf8)
  static let version: UInt8 = 1
  /// Bytes before the names.
  static let fixedLength = 51
  /// The longest name, address or key id, in bytes of UTF-8: names of hosts have 253 at most.
  static let longestName = 255
  /// Nodes that a client may be sent on by.
  static let mostHops = 1

  /// How many nodes have sent the client on, with the one that says this.
  var hops = 1
  var subprotocol: Subprotocol
  /// When it was said.
  var time: Timestamp
  var nonce: PrefaceNonce
  var log: LogID
  /// The id of the pair whose secret has made the proofs.
  var key: String
  /// The name of the node that it is for.
  var node: String

  fileprivate func write(_ length: Int, to buffer: inout ByteBuffer) {
    buffer.writeBytes(Self.magic)
    buffer.writeBytes([Self.version, UInt8(hops), subprotocol.number])
    buffer.writeInteger(UInt64(bitPattern: time.milliseconds), endianness: .little)
    for half in [nonce.high, nonce.low, log.high, log.low] { buffer.writeInteger(half) }
    buffer.writeInteger(UInt32(length), endianness: .little)
    buffer.writeName(key)
    buffer.writeName(node)
  }

  /// Nil while it is not complete; its beginning is checked as soon as it is there.
  fileprivate static func read(
    _ bytes: inout ByteBuffer
  ) throws(PrefaceFault) -> (header: PrefaceHeader, length: Int)? {
    let start = bytes.readableBytesView.prefix(magic.count)
    guard start.elementsEqual(magic.prefix(start.count)) else { throw .malformed }
    if let version = bytes.getInteger(at: bytes.readerIndex + magic.count, as: UInt8.self) {
      guard version == Self.version else { throw .otherVersion }
    }
    guard bytes.readableBytes >= fixedLength else { return nil }
    bytes.moveReaderIndex(forwardBy: magic.count + 1)
    guard let hops = bytes.readInteger(as: UInt8.self),
      let subprotocol = bytes.readInteger(as: UInt8.self).flatMap(Subprotocol.init(number:)),
      let time = bytes.readInteger(endianness: .little, as: UInt64.self),
      let nonceHigh = bytes.readInteger(as: UInt64.self), let nonceLow = bytes.readInteger(as: UInt64.self),
      let logHigh = bytes.readInteger(as: UInt64.self), let logLow = bytes.readInteger(as: UInt64.self),
      let length = bytes.readInteger(endianness: .little, as: UInt32.self)
    else { throw .malformed }
    guard let key = try bytes.readName(), let node = try bytes.readName() else { return nil }
    let header = PrefaceHeader(
      hops: Int(hops), subprotocol: subprotocol, time: Timestamp(milliseconds: Int64(bitPattern: time)),
      nonce: PrefaceNonce(high: nonceHigh, low: nonceLow), log: LogID(high: logHigh, low: logLow), key: key,
      node: node)
    return (header, Int(length))
  }
}

/// A client that one node sends to another.
struct Preface: Sendable, Equatable {
  /// The most bytes that came with the hello and stand in the preface; others follow it. 64 KiB: one read.
  static let mostEarly = 64 << 10

  var header: PrefaceHeader
  /// The client's IP address; empty if it is not known.
  var address: String
  /// The client's hello, without the frame.
  var hello: [UInt8]
  /// Bytes of the client that came with the hello: frames, and perhaps a piece of one.
  var early: [UInt8]

  /// The most bytes that a content may have, for the largest hello that is read.
  static func longest(hello: Int) -> Int { hello + mostEarly + PrefaceHeader.longestName + 9 }

  /// All of it. No name is longer than `PrefaceHeader.longestName`.
  func bytes(proving proof: NodeProof) -> ByteBuffer {
    var content = ByteBuffer()
    content.writeName(address)
    for bytes in [hello, early] {
      content.writeInteger(UInt32(bytes.count), endianness: .little)
      content.writeBytes(bytes)
    }
    var all = ByteBuffer()
    header.write(content.readableBytes, to: &all)
    all.writeBytes(proof.make(of: Array(all.readableBytesView)))
    all.writeBuffer(&content)
    all.writeBytes(proof.make(of: Array(all.readableBytesView)))
    return all
  }
}

/// Reads one preface, however it is cut.
struct PrefaceReading {
  private enum State {
    case header
    /// The bytes up to the content, and how many the content has.
    case content(PrefaceHeader, proved: [UInt8], length: Int)
  }

  private let proof: NodeProof
  private let longest: Int
  private let admit: (PrefaceHeader) throws(PrefaceFault) -> Void
  private var state = State.header

  /// - Parameters:
  ///   - longest: bytes that the content may have.
  ///   - admit: called once, when the header is proved; throws if nothing more is to be read.
  init(
    _ proof: NodeProof, longest: Int, admit: @escaping (PrefaceHeader) throws(PrefaceFault) -> Void
  ) {
    self.proof = proof
    self.longest = longest
    self.admit = admit
  }

  /// Takes a preface out of the bytes; nil while it is not complete.
  mutating func read(_ bytes: inout ByteBuffer) throws(PrefaceFault) -> Preface? {
    if case .header = state { try readHeader(&bytes) }
    guard case .content(let header, let proved, let length) = state else { return nil }
    guard bytes.readableBytes >= length + NodeProof.count, let content = bytes.readBytes(length: length),
      let shown = bytes.readBytes(length: NodeProof.count)
    else { return nil }
    guard proof.isRight(shown, of: proved + content, by: header.key) else { throw .forged }
    var fields = ByteBuffer(bytes: content)
    guard let address = try fields.readName(), let hello = fields.readBlob(), let early = fields.readBlob(),
      early.count <= Preface.mostEarly, fields.readableBytes == 0
    else { throw .malformed }
    return Preface(header: header, address: address, hello: hello, early: early)
  }

  private mutating func readHeader(_ bytes: inout ByteBuffer) throws(PrefaceFault) {
    var rest = bytes
    guard let (header, length) = try PrefaceHeader.read(&rest) else { return }
    let count = rest.readerIndex - bytes.readerIndex
    guard rest.readableBytes >= NodeProof.count, let proved = bytes.readBytes(length: count),
      let shown = bytes.readBytes(length: NodeProof.count)
    else { return }
    guard proof.isRight(shown, of: proved, by: header.key) else { throw .forged }
    guard length <= longest else { throw .tooLarge }
    try admit(header)
    state = .content(header, proved: proved + shown, length: length)
  }
}

extension ByteBuffer {
  mutating func writeName(_ name: String) {
    writeInteger(UInt8(name.utf8.count))
    writeString(name)
  }

  /// Nil while it is not complete.
  mutating func readName() throws(PrefaceFault) -> String? {
    guard let count = readInteger(as: UInt8.self), let bytes = readBytes(length: Int(count)) else {
      return nil
    }
    guard let name = String(validating: bytes, as: UTF8.self) else { throw .malformed }
    return name
  }

  fileprivate mutating func readBlob() -> [UInt8]? {
    guard let count = readInteger(endianness: .little, as: UInt32.self) else { return nil }
    return readBytes(length: Int(count))
  }
}

/// 128 bits that no two prefaces have in common.
struct PrefaceNonce: Sendable, Hashable {
  var high: UInt64
  var low: UInt64

  static func random() -> PrefaceNonce {
    var generator = SystemRandomNumberGenerator()
    return PrefaceNonce(high: generator.next(), low: generator.next())
  }
}

/// What a node answers to a preface.
enum PrefaceAnswer: UInt8, Sendable, Equatable {
  case joined = 0
  /// The log is not this node's.
  case notHere = 1
  case refused = 2
  /// The preface has a version that this node does not know.
  case otherVersion = 3

  static let magic: [UInt8] = [PrefaceHeader.first] + Array("BNA".utf8)
  static let length = 6

  var bytes: ByteBuffer { ByteBuffer(bytes: Self.magic + [PrefaceHeader.version, rawValue]) }

  /// Takes an answer out of the bytes; nil while it is not complete. What is none is `refused`: such as the HTTP of a
  /// port that is full.
  static func read(_ bytes: inout ByteBuffer) -> PrefaceAnswer? {
    let start = bytes.readableBytesView.prefix(magic.count)
    guard start.elementsEqual(magic.prefix(start.count)) else { return .refused }
    guard let all = bytes.readBytes(length: length) else { return nil }
    guard all[4] == PrefaceHeader.version else { return .otherVersion }
    return PrefaceAnswer(rawValue: all[5]) ?? .refused
  }
}

extension Subprotocol {
  fileprivate var number: UInt8 {
    switch self {
    case .binary: 1
    case .json: 2
    }
  }

  fileprivate init?(number: UInt8) {
    switch number {
    case 1: self = .binary
    case 2: self = .json
    default: return nil
    }
  }
}
