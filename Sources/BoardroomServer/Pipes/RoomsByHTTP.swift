import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import EventLogModel
import NIOCore
import Synchronization

/// Asks the nodes that own rooms what spectators need who are here (SPECT-4).
final class RoomsByHTTP: RoomFeed {
  /// Bytes of an answer at most. 16 MiB: a piece of the log, or one run that is larger.
  static let longest = 16 << 20

  /// 2 s: a node that is silent for 1.5 s is taken for dead, and its rooms have another owner then.
  static let answersWithin = TimeAmount.seconds(2)

  /// Nil until there is a way to other nodes.
  private let way = Mutex<HTTPForwarder?>(nil)

  func serve(_ forwarder: HTTPForwarder) { way.withLock { $0 = forwarder } }

  func takesSpectators(_ room: RoomID, at node: NodeAddress) async -> Bool? {
    let answer = await answer(to: .takesSpectators(room: room.description), by: node)
    return answer.flatMap(\.first).map { $0 == 1 }
  }

  func news(of room: RoomID, after revision: Revision, limit: Int, at node: NodeAddress) async -> LogNews? {
    let question = SpectatingQuestion.news(room: room.description, after: revision.rawValue, limit: limit)
    return await answer(to: question, by: node).flatMap { LogNews($0) }
  }

  private func answer(to question: SpectatingQuestion, by node: NodeAddress) async -> [UInt8]? {
    guard let forwarder = way.withLock({ $0 }) else { return nil }
    let answer = try? await forwarder.answer(
      to: question.bytes, on: RestRoutes.roomQuestions, by: node, upTo: Self.longest,
      until: .now() + Self.answersWithin)
    return answer ?? nil
  }
}
