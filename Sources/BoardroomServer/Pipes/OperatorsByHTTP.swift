import BoardroomAccess
import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Asks the node that owns the operators' log.
struct OperatorsByHTTP: OperatorsNode {
  /// Bytes of an answer at most. 64 MiB: as many bans as there may be, with long names.
  static let longest = 64 << 20

  let forwarder: HTTPForwarder

  func carryOut(_ decision: BanDecision, at node: NodeAddress) async throws(Refusal) -> Ban? {
    switch try await answer(to: OperatorsMessage(decision), by: node) {
    case .done(let ban): return ban?.ban
    case .refused(let refusal): throw refusal
    case .list, .unchanged, nil: throw Refusal(.networkLost)
    }
  }

  func bans(since revision: Revision, at node: NodeAddress) async -> BanList? {
    let answer = try? await answer(to: .list(since: revision.rawValue), by: node)
    guard case .list(let list) = answer else { return nil }
    return list.list
  }

  func note(damage place: String, at node: NodeAddress) async throws(Refusal) {
    guard case .done = try await answer(to: .damage(place), by: node) else { throw Refusal(.networkLost) }
  }

  private func answer(
    to message: OperatorsMessage, by node: NodeAddress
  ) async throws(Refusal) -> OperatorsMessage.NodeAnswer? {
    do throws(RestError) {
      return try await forwarder.answer(
        to: message.bytes, on: RestRoutes.banMessages, by: node, upTo: Self.longest
      ).flatMap { OperatorsMessage.NodeAnswer($0) }
    } catch { throw error.refusal }
  }
}
