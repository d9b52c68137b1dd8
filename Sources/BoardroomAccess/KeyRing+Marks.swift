import Crypto

extension KeyRing {
  /// A mark of each pair, in their order: equal for equal pairs, and 32 bits of a hash, from which no secret can be told. By them
  /// nodes see whether they have the same keys.
  public var marks: [UInt32] {
    pairs.map { pair in
      let key = SymmetricKey(data: Array(pair.secret.utf8))
      let hash = HMAC<SHA256>.authenticationCode(for: Array("mark of \(pair.id)".utf8), using: key)
      return hash.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
