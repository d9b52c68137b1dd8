import CLZ4
import EventLogModel

/// Builds frames in buffers that it keeps, so that a steady stream of commits allocates nothing.
public struct JournalFrameWriter: ~Copyable, Sendable {
  /// Payloads shorter than this stay plain: LZ4 gains nothing on them.
  public static let compressFrom = 200

  private var payload: [UInt8] = []
  private var frame: [UInt8] = []
  private var events = 0
  private var runs = 0
  private var version: UInt8 = 1

  public init() {}

  /// Bytes of payload collected so far, before compression.
  public var byteCount: Int { payload.count }
  public var isEmpty: Bool { payload.isEmpty }

  /// Begins an empty frame.
  public mutating func reset() {
    payload.removeAll(keepingCapacity: true)
    events = 0
    runs = 0
    version = 1
  }

  /// Adds a run of the log with this number.
  public mutating func add(_ run: Run, number: UInt64) {
    JournalEntry.appendRun(run, number: number, to: &payload)
    events += run.count
    runs += 1
  }

  /// Adds another entry.
  public mutating func add(_ entry: JournalEntry) {
    if case .run(let number, let run) = entry {
      add(run, number: number)
    } else {
      version = max(version, entry.frameVersion)
      entry.append(to: &payload)
    }
  }

  /// Compresses what was collected. Call it before `withFrame`; between the two, `storedLength` is known.
  public mutating func pack() {
    let room = Int(LZ4_compressBound(Int32(payload.count)))
    let needed = JournalFrame.length(stored: max(room, payload.count))
    if frame.count < needed { frame = [UInt8](repeating: 0, count: needed + needed / 2) }
    let start = JournalFrame.headerLength
    var packed = 0
    if payload.count >= Self.compressFrom {
      packed = payload.withUnsafeBytes { from in
        frame.withUnsafeMutableBytes { to in
          Int(
            LZ4_compress_default(
              from.baseAddress!.assumingMemoryBound(to: CChar.self),
              to.baseAddress!.advanced(by: start).assumingMemoryBound(to: CChar.self),
              Int32(from.count), Int32(room)))
        }
      }
    }
    codec = packed > 0 && packed < payload.count ? 1 : 0
    storedLength = codec == 1 ? packed : payload.count
    if codec == 0 {
      payload.withUnsafeBytes { from in
        frame.withUnsafeMutableBytes { to in
          UnsafeMutableRawBufferPointer(rebasing: to[start...]).copyMemory(from: from)
        }
      }
    }
  }

  private var codec: UInt8 = 0
  /// Bytes of the payload as packed.
  public private(set) var storedLength = 0
  /// Bytes of the whole frame as packed.
  public var frameLength: Int { JournalFrame.length(stored: storedLength) }

  /// Completes the packed frame, hands it to `body` and returns its checksum with what `body` returned.
  public mutating func withFrame<Result, Failure: Error>(
    number: UInt64, previous: UInt32, seed: UInt32,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> (checksum: UInt32, result: Result) {
    let checksum = fillHeader(number: number, previous: previous, seed: seed)
    let length = frameLength
    let outcome = frame.withUnsafeBytes { bytes -> Swift.Result<Result, Failure> in
      do throws(Failure) {
        return .success(try body(UnsafeRawBufferPointer(rebasing: bytes[..<length])))
      } catch { return .failure(error) }
    }
    return (checksum, try outcome.get())
  }

  private mutating func fillHeader(number: UInt64, previous: UInt32, seed: UInt32) -> UInt32 {
    let (length, payloadEnd) = (frameLength, JournalFrame.headerLength + storedLength)
    let (rawLength, stored, codec) = (UInt32(payload.count), UInt32(storedLength), codec)
    let (events, runs, version) = (UInt32(self.events), UInt32(self.runs), version)
    return frame.withUnsafeMutableBytes { bytes in
      func put<Value: FixedWidthInteger>(_ value: Value, _ at: Int) {
        bytes.storeBytes(of: value.littleEndian, toByteOffset: at, as: Value.self)
      }
      put(JournalFrame.magic, 0)
      put(version, 4)
      put(codec, 5)
      put(UInt16(0), 6)
      put(number, 8)
      put(rawLength, 16)
      put(stored, 20)
      put(events, 24)
      put(runs, 28)
      put(previous, 32)
      for at in payloadEnd..<length { put(UInt8(0), at) }
      let head = CRC32C.of(UnsafeRawBufferPointer(rebasing: bytes[..<36]), seed: seed)
      let payload = UnsafeRawBufferPointer(rebasing: bytes[JournalFrame.headerLength..<payloadEnd])
      let sum = CRC32C.of(payload, seed: head)
      put(sum, 36)
      return sum
    }
  }
}
