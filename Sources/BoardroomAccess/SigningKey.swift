import Crypto
import Foundation

/// The key of a data folder that signs archives of rooms: Ed25519 (RFC 8032), made at the first use.
///
/// `signing.key` is text, three lines: `boardroom signing key 1`, the private key as 64 hexadecimal digits, and
/// the first 16 hexadecimal digits of the SHA-256 of the two lines before. Only the folder's owner may read it.
public struct SigningKey: Sendable {
  /// Its name in the data folder.
  public static let name = "signing.key"
  private static let title = "boardroom signing key 1"

  /// Why the key cannot be read or made.
  public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
    case damaged(path: String)
    case io(path: String, code: Int32)

    public var description: String {
      switch self {
      case .damaged(let path):
        "\(path) is damaged, or no signing key. Restore it; or move it away, and a new key is made that nobody knows yet."
      case .io(let path, let code): "\(path) cannot be read or written: \(String(cString: strerror(code)))."
      }
    }
  }

  private let key: Curve25519.Signing.PrivateKey

  /// 64 hexadecimal digits. Receivers of archives get it once, by another way than the archives.
  public var publicKey: String { TokenText.hex(key.publicKey.rawRepresentation) }

  /// The key in `folder`; made if it is not there.
  public static func open(inFolder folder: String) throws -> SigningKey {
    let path = folder + "/" + name
    if let bytes = try PlainFile.read(path) {
      guard let key = read(bytes) else { throw Failure.damaged(path: path) }
      return SigningKey(key: key)
    }
    let key = Curve25519.Signing.PrivateKey()
    try PlainFile.write(text(of: key), to: path)
    return SigningKey(key: key)
  }

  private static func text(of key: Curve25519.Signing.PrivateKey) -> [UInt8] {
    let lines = "\(title)\n\(TokenText.hex(key.rawRepresentation))\n"
    return Array((lines + check(lines) + "\n").utf8)
  }

  private static func check(_ lines: String) -> String {
    String(TokenText.hex(SHA256.hash(data: Array(lines.utf8))).prefix(16))
  }

  private static func read(_ bytes: [UInt8]) -> Curve25519.Signing.PrivateKey? {
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 4, lines[0] == title, lines[3].isEmpty,
      lines[2] == check("\(lines[0])\n\(lines[1])\n"), let raw = hexBytes(lines[1])
    else { return nil }
    return try? Curve25519.Signing.PrivateKey(rawRepresentation: raw)
  }

  /// 64 bytes.
  public func signature(of bytes: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: bytes)) }

  /// Whether the holder of this key has signed these bytes.
  public static func isSigned(_ bytes: [UInt8], signature: [UInt8], by publicKey: String) -> Bool {
    guard let raw = hexBytes(publicKey[...]),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
    else { return false }
    return key.isValidSignature(signature, for: bytes)
  }

  private static func hexBytes(_ text: Substring) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 64 else { return nil }
    let bytes = stride(from: 0, to: 64, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
    return bytes.count == 32 ? bytes : nil
  }
}

/// The SHA-256 of content that is written or read piece by piece.
public struct ContentDigest: Sendable {
  private var hash = SHA256()
  public init() {}
  /// Adds the next bytes of the content.
  public mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
  }
  /// 64 hexadecimal digits.
  public var text: String { TokenText.hex(hash.finalize()) }
}
