import EventLogModel

/// Walks the frames of one segment held in memory and says how they ended.
public struct JournalScan {
  /// What stands where the next frame was looked for.
  public enum Step: Sendable, Hashable {
    case frame(JournalFrame, at: Int)
    /// Nothing valid here, and nothing valid of a later number after it: the log ends here, unless a later
    /// segment begins with a later frame.
    case end(at: Int)
    /// Nothing valid at `at`, but frame `found` stands intact at `next`: acknowledged facts between are gone.
    case gap(at: Int, fault: JournalFault, next: Int, found: UInt64)
    /// A whole frame with the right checksum that cannot be understood.
    case unreadable(at: Int, JournalFault)
  }

  private let segment: UnsafeRawBufferPointer
  private let seed: UInt32
  /// Where the next frame is looked for.
  public private(set) var offset = JournalSegmentHeader.length
  public private(set) var nextNumber: UInt64
  /// The checksum of the last frame; `nil` before the first one when it is not known.
  public private(set) var previous: UInt32?
  /// At the end: the next frame was begun there and is not whole. Either its writing was cut short, and nobody was told
  /// that it is durable, or it was damaged later: its bytes alone cannot say which.
  public private(set) var endsInRemains = false

  /// - Parameter previous: the checksum of the last frame of the segment before, if that was read.
  public init(segment: UnsafeRawBufferPointer, header: JournalSegmentHeader, previous: UInt32?) {
    self.segment = segment
    self.seed = header.seed
    self.nextNumber = header.firstFrame
    self.previous = previous
  }

  /// The next frame, or how the segment ends. After `end` and `unreadable`, do not go on; after `gap`, the
  /// scan goes on at the frame found.
  public mutating func next() -> Step {
    do throws(JournalFault) {
      let header = try JournalFrameHeader(reading: segment, at: offset, seed: seed)
      guard header.number == nextNumber, previous == nil || previous == header.previous else {
        throw .outOfOrder(found: header.number)
      }
      return accept(header)
    } catch {
      return afterFault(error)
    }
  }

  private mutating func accept(_ header: JournalFrameHeader) -> Step {
    let at = offset
    do throws(JournalFault) {
      let frame = try JournalFrame(reading: segment, at: at, seed: seed)
      offset = at + header.frameLength
      nextNumber = frame.number + 1
      previous = frame.checksum
      return .frame(frame, at: at)
    } catch {
      return .unreadable(at: at, error)
    }
  }

  private mutating func afterFault(_ fault: JournalFault) -> Step {
    let at = offset
    var place = at
    while place + JournalFrame.headerLength <= segment.count {
      if segment.loadUnaligned(fromByteOffset: place, as: UInt32.self).littleEndian == JournalFrame.magic,
        let header = try? JournalFrameHeader(reading: segment, at: place, seed: seed),
        header.number >= nextNumber
      {
        offset = place
        nextNumber = header.number
        previous = nil
        return .gap(at: at, fault: fault, next: place, found: header.number)
      }
      place += 8
    }
    endsInRemains = remains(at: at)
    return .end(at: at)
  }

  /// Whether two of the three fields with which a frame for `nextNumber` begins stand here. A frame of an
  /// earlier use of the file has a lower number and another frame before it. If one field is damaged, the
  /// other two still fit.
  private func remains(at place: Int) -> Bool {
    guard place + JournalFrame.headerLength <= segment.count else { return false }
    func word<Value: FixedWidthInteger>(_ at: Int, _ type: Value.Type) -> Value {
      Value(littleEndian: segment.loadUnaligned(fromByteOffset: place + at, as: type))
    }
    let signs = [
      word(0, UInt32.self) == JournalFrame.magic, word(8, UInt64.self) == nextNumber,
      previous.map { word(32, UInt32.self) == $0 } ?? false,
    ]
    return signs.count { $0 } >= 2
  }
}
