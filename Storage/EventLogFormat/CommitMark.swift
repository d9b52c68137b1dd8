import EventLogModel

/// The last journal frame that was durable, as the file `COMMITTED` says it. docs/FORMAT.md, "Commit mark", is the
/// reference.
///
/// The file has two slots. Each frame is noted in the slot that the frame before did not use. If writing a
/// slot is cut short, the other one still says which frame was the last but one.
package struct CommitMark: Hashable, Sendable {
  /// The identity of the store, 16 bytes.
  package var store: [UInt8]
  package var frame: UInt64

  /// The bytes of a slot that are used. They lie in one sector of a disk.
  package static let length = 32
  /// The distance between the slots, one sector: a power cut that tears one slot leaves the other whole.
  package static let stride = 512
  /// The bytes of a whole file.
  package static let fileBytes = 2 * stride
  private static let magic: UInt32 = 0x314d_5242  // "BRM1"

  package init(store: [UInt8], frame: UInt64) {
    self.store = store
    self.frame = frame
  }

  /// Where in the file this mark stands.
  package var offset: Int { Int(frame & 1) * Self.stride }

  /// `length` bytes.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.length)
    bytes.appendLittleEndian(Self.magic)
    bytes += store
    bytes.appendLittleEndian(frame)
    bytes.appendLittleEndian(CRC32C.of(bytes))
    return bytes
  }

  /// The mark with the highest frame among those that are whole and belong to this store; `nil` if there is
  /// none. A slot that is not whole is no damage, because slots are written without a flush.
  package static func newest(in file: [UInt8], store: [UInt8]) -> CommitMark? {
    [0, stride].compactMap { offset -> CommitMark? in
      guard file.count >= offset + length else { return nil }
      let slot = Array(file[offset..<offset + length])
      let frame = slot[20..<28].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let mark = CommitMark(store: store, frame: frame)
      return mark.offset == offset && mark.encoded == slot ? mark : nil
    }.max { $0.frame < $1.frame }
  }
}
