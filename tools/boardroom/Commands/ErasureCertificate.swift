import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

/// What was erased, where and when: for the person who asked for it, and for operators who have to show that
/// it was done. It contains no content. With its key, bytes that somebody still has can be compared with the
/// erased ones.
///
/// Until the erasure is done, the file has the ending `.part`; an interrupted erasure goes on from it.
struct ErasureCertificate: Codable {
  struct CertificateRoom: Codable {
    var room: String
    /// The numbers that the member had there.
    var members: [UInt64]
    /// The room's epochs before and after the erasure.
    var epochs: [String]
    /// The first revision that is there; before it retention had removed events.
    var first: UInt64
    var last: UInt64
    var records: [LogErasure.RecordChange]
    var blocks: [CertificateBlock] = []
    /// The hash of the state after the last event; nil until the room is done.
    var stateHash: String?
    /// Whether this room is done.
    var isDone = false
  }

  /// A stored piece from which something was erased, by SHA-256 of its records.
  struct CertificateBlock: Codable {
    var first: UInt64
    var last: UInt64
    var before: String
    var after: String
  }

  var format = "boardroom erasure 1"
  var uid: String?
  /// 32 bytes; the hashes of records are HMAC-SHA-256 with it.
  var key: String
  var begun: String
  var ended: String?
  var rooms: [CertificateRoom] = []
  /// Logs that were the member's alone, and are removed for good.
  var removed: [String] = []
  /// Images that nothing names any more, by their place in the data folder.
  var images: [String] = []

  var events: Int { rooms.reduce(0) { $0 + $1.records.count } }

  /// Adds a room. What an interrupted erasure had planned in it stays in the certificate, together with what
  /// is still found.
  mutating func add(_ room: CertificateRoom) {
    guard let place = rooms.firstIndex(where: { $0.room == room.room }) else { return rooms.append(room) }
    let known = rooms[place]
    var joined = room
    joined.epochs[0] = known.epochs[0]
    joined.members = Set(known.members + room.members).sorted()
    let found = Set(known.records.map(\.revision))
    joined.records = (known.records + room.records.filter { !found.contains($0.revision) })
      .sorted { $0.revision < $1.revision }
    rooms[place] = joined
  }

  mutating func update(_ room: RoomID, _ change: (inout CertificateRoom) -> Void) {
    guard let place = rooms.firstIndex(where: { $0.room == room.description }) else { return }
    change(&rooms[place])
  }

  /// The file of a certificate, which is written as a whole each time.
  struct CertificateFile {
    let path: String
    private var part: String { path + ".part" }

    /// The certificate of an interrupted erasure; nil if there is none.
    func begun() throws -> ErasureCertificate? {
      guard let data = FileManager.default.contents(atPath: part) else { return nil }
      do { return try JSONDecoder().decode(ErasureCertificate.self, from: data) } catch {
        throw Failure(.badInput, "\(part) is no certificate that was begun.", "Name another file.", at: part)
      }
    }

    func write(_ certificate: ErasureCertificate, isWhole: Bool) throws {
      let bytes = try certificate.bytes
      do {
        try NewFolder.write(bytes, to: part + ".new")
      } catch {
        throw Failure(.cannotCreate, "\(part) cannot be written: \(NewFolder.reason(error))", at: part)
      }
      let target = isWhole ? path : part
      guard rename(part + ".new", target) == 0 else {
        throw Failure(.io, "\(target) cannot be written: \(String(cString: strerror(errno)))", at: target)
      }
      if isWhole { unlink(part) }
    }
  }

  var bytes: [UInt8] {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      return Array(try encoder.encode(self)) + [0x0A]
    }
  }
}
