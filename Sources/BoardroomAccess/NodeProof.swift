import Crypto

/// By what nodes that have the same keys know each other: an HMAC-SHA256 (RFC 2104) with a key that is good for nothing
/// else. That key is itself an HMAC of the purpose with the secret of a pair, so no proof is a token or a ticket, and no
/// token or ticket is a proof.
package struct NodeProof: Sendable {
  /// Bytes of a proof.
  package static let count = 32

  private static let purpose = "boardroom.pipe.1"

  private let keys: [String: SymmetricKey]
  /// The id of the pair by which this node proves.
  package let signer: String

  package init(_ ring: KeyRing) {
    signer = ring.signer.id
    keys = Dictionary(ring.pairs.map { ($0.id, Self.key(of: $0)) }) { first, _ in first }
  }

  private static func key(of pair: KeyPair) -> SymmetricKey {
    let secret = SymmetricKey(data: Array(pair.secret.utf8))
    return SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(purpose.utf8), using: secret))
  }

  /// The proof of these bytes by the signer.
  package func make(of bytes: [UInt8]) -> [UInt8] {
    guard let key = keys[signer] else { preconditionFailure("the signer's pair is in the ring") }
    return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
  }

  /// Whether a node that has the pair of this id has proved these bytes. Takes as long for a wrong proof as for a right
  /// one.
  package func isRight(_ proof: [UInt8], of bytes: [UInt8], by id: String) -> Bool {
    guard let key = keys[id] else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(proof, authenticating: bytes, using: key)
  }
}
