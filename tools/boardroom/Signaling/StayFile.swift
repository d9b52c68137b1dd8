import BoardroomClient
import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation
import Synchronization

/// Keeps the stays of one client in a file that only its owner can read, so that a program that was killed
/// can resume them. The file is written under another name and renamed when it is whole, before anything is
/// done in the stay.
final class StayFile: StayKeeper {
  private let path: String
  private let stays: Mutex<[String: KeptStay]>

  /// Fails if there is a file of another form.
  init(_ path: String) throws {
    self.path = path
    stays = Mutex(try Self.read(path))
  }

  func stay(at place: Place) -> KeptStay? { stays.withLock { $0[Self.key(place)] } }

  func keep(_ stay: KeptStay?, at place: Place) {
    let all = stays.withLock { stays in
      stays[Self.key(place)] = stay
      return stays
    }
    do { try write(all) } catch {
      Terminal.note("\(path) cannot be written; a stay is lost when this program is.")
    }
  }

  private static func key(_ place: Place) -> String {
    [place.service.rawValue, place.account, place.channel].compactMap(\.self).joined(separator: " ")
  }

  // MARK: The file: a JSON object of places, each with what a KeptStay has

  private static func read(_ path: String) throws -> [String: KeptStay] {
    guard let bytes = FileManager.default.contents(atPath: path) else { return [:] }
    guard let fields = (try? JSONValue.parse(Array(bytes)))?.object else { throw malformed(path) }
    var stays: [String: KeptStay] = [:]
    for (key, value) in fields {
      guard let stay = stay(value) else { throw malformed(path) }
      stays[key] = stay
    }
    return stays
  }

  private static func malformed(_ path: String) -> Failure {
    Failure(.badInput, "\(path) does not hold stays.", "Name another file, or remove it.", at: path)
  }

  private static func stay(_ value: JSONValue) -> KeptStay? {
    guard let session = value["session"]?.string.flatMap({ SessionID($0) }),
      let generation = value["generation"]?.int.flatMap({ Generation(exactly: $0) }),
      let ticket = value["ticket"]?.string, let epoch = value["epoch"]?.string.flatMap({ Epoch($0) }),
      let member = value["member"]?.int.flatMap({ UInt64(exactly: $0) })
    else { return nil }
    return KeptStay(
      session: session, generation: generation, ticket: ticket, epoch: epoch, member: MemberID(member))
  }

  private func write(_ stays: [String: KeptStay]) throws {
    let fields = stays.sorted { $0.key < $1.key }.map { key, stay -> (String, JSONValue) in
      let fields: [(String, JSONValue)] = [
        ("session", .string(stay.session.description)), ("generation", JSONValue(Int(stay.generation))),
        ("ticket", .string(stay.ticket)), ("epoch", .string(stay.epoch.description)),
        ("member", JSONValue(Int(stay.member.rawValue))),
      ]
      return (key, .object(fields))
    }
    let text = JSONValue.object(fields).text.text + "\n"
    let part = path + ".part"
    guard
      FileManager.default.createFile(
        atPath: part, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]),
      rename(part, path) == 0
    else { throw Failure(.cannotCreate, "\(path) cannot be written.", at: path) }
  }
}
