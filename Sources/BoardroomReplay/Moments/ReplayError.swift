import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Why a log could not be replayed, exported or imported: what, where, and what to do.
public enum ReplayError: Error, Sendable {
  /// The store refused or failed.
  case log(LogError)
  /// A stored event is not what docs/PROTOCOL.md describes.
  case event(Revision, CodecError)
  /// Events are damaged, and there is no snapshot between them and the wanted moment.
  case gap(Gap, wanted: Revision)
  /// A line or a piece of a file to import is not what an export writes. Lines count from 1.
  case unreadable(place: String, reason: String)
  /// A file to import has missing events. A log can be imported only as a whole, from revision 1.
  case notWhole(place: String, expected: Revision, found: Revision)
}

extension ReplayError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .log(let error): error.description
    case .event(let revision, let error):
      "Revision \(revision) does not hold a well-formed event (\(error)). Run `boardroom verify` on the folder."
    case .gap(let gap, let wanted):
      "Revision \(wanted) cannot be rebuilt: \(gap), and no snapshot lies between. Ask for an earlier one, or restore a backup."
    case .unreadable(let place, let reason): "\(place): \(reason)"
    case .notWhole(let place, let expected, let found):
      "\(place) holds revision \(found) where \(expected) was due. Import a whole export, made without --from, --to or --kinds."
    }
  }
}
