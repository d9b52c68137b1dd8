import EventLogModel

extension SealingTransaction {
  /// Does something in a transaction on a connection of its own, whose commit waits for a standby where the server has one to
  /// wait for. What fails is rolled back. For starts and changes of the tables, which may take as long as they need.
  static func onItsOwn<Value>(
    at address: DatabaseAddress,
    _ body: (SealingTransaction, PostgresConnection) throws(LogError) -> Value
  ) throws(LogError) -> Value {
    let connection: PostgresConnection
    do throws(PostgresFailure) {
      connection = try PostgresConnection(address, name: "boardroom start")
      _ = try connection.run([Query(FencedConnection.durability)])
    } catch { throw error.asLogError(in: address.place) }
    let transaction = SealingTransaction(connection, place: address.place, silence: Int.max)
    do throws(LogError) { return try body(transaction, connection) } catch {
      if !transaction.isUnknown { transaction.rollBack() }
      throw error
    }
  }

  /// Throws `locked` while a node is there that is not recovered.
  func refuseWhileNodesAreThere(_ place: String) throws(LogError) {
    let tables = NodeTables(transaction: self, place: place)
    for node in try tables.unrecovered() where try tables.isConnected(node) {
      throw LogError.locked(path: place)
    }
  }
}
