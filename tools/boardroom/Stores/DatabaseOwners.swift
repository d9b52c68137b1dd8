#if BOARDROOM_POSTGRES
  import BoardroomHosting
  import EventLogModel
  import PostgresLog
  import Synchronization

  /// Owners of logs as the database has them. A log that nobody owns is claimed by the node whose client asks for it, unless
  /// that has begun to give its own up.
  final class DatabaseOwners: SpaceOwners {
    private let store: PostgresLogStore
    private let isEnding = Atomic<Bool>(false)

    init(store: PostgresLogStore) { self.store = store }

    func owner(of log: LogID) async throws -> SpaceOwner {
      do throws(LogError) {
        switch try await store.owner(of: log) {
        case .thisNode: return .here
        case .nobody:
          guard !isEnding.load(ordering: .acquiring) else { return .nobodyYet }
          try await store.claim(log)
          return .here
        case .node(let node): return place(of: node.name, at: node.address, isAlive: isAlive(node))
        }
      } catch {
        switch error {
        case .elsewhere(_, let node, let address): return place(of: node, at: address, isAlive: true)
        // The client is told here that there is none.
        case .noSuchLog, .deleted: return .here
        case .changingOwner: return .nobodyYet
        // Also where the database does not answer.
        default: throw error
        }
      }
    }

    func has(_ log: LogID) -> Bool { store.has(log) }

    func release(_ logs: [LogID]) async -> Bool {
      isEnding.store(true, ordering: .releasing)
      do throws(LogError) { try await store.release(logs) } catch { return false }
      return true
    }

    private func isAlive(_ node: PostgresLogStore.LivingNode) -> Bool {
      store.nodes.contains { $0.incarnation == node.incarnation }
    }

    /// The logs of a node that is not alive are being recovered, or soon will be.
    private func place(of node: String, at address: String, isAlive: Bool) -> SpaceOwner {
      guard isAlive, let found = NodePlace(name: node, address: address).nodeAddress else {
        return .nobodyYet
      }
      return .at(found)
    }
  }
#endif
