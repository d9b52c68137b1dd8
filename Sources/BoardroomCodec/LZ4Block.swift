import EventLogModel

// The raw LZ4 block format: sequences of `u8 token | more literal lengths | literals | u16 offset | more
// match lengths`; the last sequence ends after its literals. No frame, no checksum, no dictionary.

/// Unpacks blocks without any C library, for clients.
public enum LZ4Block {
  /// The `count` bytes that `bytes` unpack to. Any input that does not give exactly that many is an error,
  /// and never more than `count` bytes are written.
  public static func decompress(_ bytes: [UInt8], count: Int) throws(WireError) -> [UInt8] {
    guard count >= 0 else { throw .badField("raw length", at: 0) }
    // A byte of input stands for at most 255 of output; a larger claim is not worth its memory.
    guard count <= bytes.count * 255 else { throw .truncated(at: bytes.count) }
    var failure: WireError?
    let out = [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      bytes.withUnsafeBufferPointer { input in
        var unpacker = LZ4Unpacker(input: input, output: buffer)
        do throws(WireError) { try unpacker.run() } catch { failure = error }
        written = failure == nil ? unpacker.written : 0
      }
    }
    if let failure { throw failure }
    return out
  }
}

private struct LZ4Unpacker {
  let input: UnsafeBufferPointer<UInt8>
  let output: UnsafeMutableBufferPointer<UInt8>
  var at = 0
  var written = 0
  var room: Int { output.count - written }

  init(input: UnsafeBufferPointer<UInt8>, output: UnsafeMutableBufferPointer<UInt8>) {
    self.input = input
    self.output = output
  }

  mutating func run() throws(WireError) {
    while true {
      let token = try byte()
      try literals(try length(Int(token >> 4)))
      if at == input.count { break }
      try match(token)
    }
    guard room == 0 else { throw .truncated(at: at) }
  }

  private mutating func byte() throws(WireError) -> UInt8 {
    guard at < input.count else { throw .truncated(at: at) }
    defer { at += 1 }
    return input[at]
  }

  /// A length whose first four bits are all set goes on in further bytes.
  private mutating func length(_ nibble: Int) throws(WireError) -> Int {
    var length = nibble
    guard nibble == 15 else { return length }
    while true {
      let more = try byte()
      length += Int(more)
      // Neither literals nor a match can be longer than the output; so the sum cannot overflow.
      guard length <= output.count + 15 else { throw .badField("LZ4 length", at: at - 1) }
      if more < 255 { return length }
    }
  }

  private mutating func literals(_ count: Int) throws(WireError) {
    guard count <= input.count - at else { throw .truncated(at: at) }
    guard count <= room else { throw .badField("LZ4 literals", at: at) }
    for index in 0..<count { output.initializeElement(at: written + index, to: input[at + index]) }
    at += count
    written += count
  }

  private mutating func match(_ token: UInt8) throws(WireError) {
    let start = at
    let offset = Int(try byte()) | Int(try byte()) << 8
    guard offset > 0, offset <= written else { throw .badField("LZ4 offset", at: start) }
    let count = try length(Int(token & 15)) + 4
    guard count <= room else { throw .badField("LZ4 match", at: start) }
    // Byte by byte: a match may reach into what it writes itself.
    for index in written..<written + count { output.initializeElement(at: index, to: output[index - offset]) }
    written += count
  }
}

extension Run {
  /// The run that was stored, unpacked and checked.
  public init(unpacking stored: StoredRun) throws(CodecError) {
    do throws(WireError) {
      guard stored.rawLength <= Run.maximumBytes, stored.count > 0, stored.first > .zero else {
        throw .badField("run header", at: 0)
      }
      let records = try Self.records(of: stored)
      var last: Result<Timestamp, WireError> = .failure(.truncated(at: 0))
      records.withUnsafeBytes { bytes in
        do throws(WireError) {
          last = .success(try Run.check(bytes, count: stored.count, base: stored.base))
        } catch { last = .failure(error) }
      }
      guard try last.get() == stored.last else { throw .badField("last time", at: 0) }
      self.init(
        first: stored.first, count: stored.count, base: stored.base, last: stored.last, records: records)
    } catch { throw .wire(error) }
  }

  private static func records(of stored: StoredRun) throws(WireError) -> [UInt8] {
    switch stored.coding {
    case .plain: stored.bytes
    case .lz4: try LZ4Block.decompress(stored.bytes, count: stored.rawLength)
    }
  }
}
