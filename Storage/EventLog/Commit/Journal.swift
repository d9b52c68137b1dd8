import EventLogFormat
import EventLogModel

/// The journal's half of a store, as the commit thread uses it: where group commits become durable.
/// `FolderJournal` keeps them in files of a folder; a database keeps them as rows.
///
/// Frames have rising numbers, and lie in segments with rising numbers. A segment is free as soon as
/// everything in it is sealed (`JournalSegments`).
package protocol Journal: AnyObject, Sendable {
  /// The number of the segment being written.
  var segment: UInt64 { get }
  var nextFrame: UInt64 { get }
  /// How much of the present segment is written, 0 to 1.
  var fill: Double { get }
  /// When no frame has followed the last one for so many nanoseconds, an empty frame is written after it:
  /// from then on damage to the last frame can be told from a frame whose writing was cut short. Nil: never.
  var confirmDelay: UInt64? { get }

  func hasRoom(for frame: borrowing JournalFrameWriter) -> Bool
  /// Whether a frame of so many bytes may be written by a thread that has other work, too (`Engine.beginTurn`): it fits into the
  /// present segment, and nothing is waited for but a disk.
  func takesTurn(ofAtMost bytes: Int) -> Bool
  /// Writes a packed frame; it is durable when the call returns.
  ///
  /// - Parameter stall: called from time to time while it is not known whether the frame is durable, with
  ///   why. It throws where the wait has to end; then the outcome stays unknown.
  func write(
    _ frame: inout JournalFrameWriter, stall: (LogError) throws(LogError) -> Void
  ) throws(LogError)
  /// Writes down what is known of the last frame, because no other follows now.
  func flushEvidence()
  /// Begins the next segment. False where that is not possible now and can be tried again at once.
  ///
  /// Throws `full` where no events can be taken until space, or what else lacks, is there; any other error
  /// stops the store.
  func beginSegment() throws(LogError) -> Bool
  func close()
}

extension Journal {
  package func takesTurn(ofAtMost bytes: Int) -> Bool { false }
}

/// The journal's segments, as the sealer's thread looks after them.
package protocol JournalSegments: AnyObject, Sendable {
  /// Segments that are kept ready; asked by any thread.
  var spares: Int { get }
  var isShortOfSpares: Bool { get }
  /// Why this is not the store's place any more; nil if it is.
  func misplaced() -> LogError?
  func makeSpare() throws(LogError)
  /// Removes all spares, because they still hold the content of their earlier use.
  func removeSpares() throws(LogError)
  /// Gives up a segment that nothing needs any more. `reusing`: its place may be used again as it is.
  func retire(_ segment: UInt64, reusing: Bool) throws(LogError)
  /// Notes elsewhere than in the sealed half how far that half has come. It is settled.
  ///
  /// - Parameters:
  ///   - logs: how many log numbers were given.
  ///   - oldest: the first segment that is still needed.
  ///   - frame: the last frame that is durable.
  func noteSettled(logs: UInt64, oldest: UInt64, frame: UInt64) throws(LogError)
}
