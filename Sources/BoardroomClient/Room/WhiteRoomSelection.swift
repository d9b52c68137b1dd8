import BoardroomModel

// What is selected, and what is done to it (EL-8). A selection is this client's own; nobody else sees it.
extension WhiteRoom {
  /// How far copies stand from what they are copies of: 20 pixels, so that both can be taken hold of.
  public static let copyOffset = 20.0

  /// Selects these and nothing else.
  public func select(_ ids: [WhiteElementID]) { shown.with { $0.selection = ids } }

  /// Selects nothing.
  public func clearSelection() { select([]) }

  /// What is selected, in the order of its selection; some of it may have been erased since.
  public var selection: [WhiteElementID] { shown.with { $0.selection } }

  /// Remembers what is selected for `paste`; returns how many elements were remembered. Refused while the history is not
  /// enabled (EL-6).
  @discardableResult
  nonisolated(nonsending) public func copy() async throws(BoardroomError) -> Int { try await answer(.copy) }

  /// Puts copies of what was remembered onto the current page, with what it looks like now; they are selected
  /// then. What was erased since cannot be pasted.
  @discardableResult
  nonisolated(nonsending) public func paste() async throws(BoardroomError) -> [WhiteElementID] {
    try await answer(.paste)
  }

  /// Copies what is selected; the copies are selected then.
  @discardableResult
  nonisolated(nonsending) public func duplicate() async throws(BoardroomError) -> [WhiteElementID] {
    try await answer(.duplicate)
  }

  /// Erases what is selected.
  @discardableResult
  nonisolated(nonsending) public func deleteSelection() async throws(BoardroomError) -> Receipt {
    try await answer(.deleteSelection)
  }
}

extension RoomRequest<Int> {
  package static var copy: Self {
    RoomRequest { room, finish in
      room.link.enter { [weak room] link in
        guard let room else { return finish(.failure(.left)) }
        guard !link.board.isSerializationDisabled else { return finish(.failure(.serializationDisabled)) }
        let count = room.shown.with { shown in
          shown.clipboard = shown.selection
          return shown.clipboard.count
        }
        finish(count > 0 ? .success(count) : .failure(.nothingSelected))
      }
    }
  }
}

extension RoomRequest<[WhiteElementID]> {
  package static var paste: Self { copies { room in room.shown.with { $0.clipboard } } }
  package static var duplicate: Self { copies { $0.selection } }

  private static func copies(of ids: @escaping @Sendable (WhiteRoom) -> [WhiteElementID]) -> Self {
    RoomRequest { room, finish in
      let ids = ids(room)
      let done: Completion = { [weak room] result in
        if case .success(let made) = result { room?.select(made) }
        finish(result)
      }
      room.link.enter { link in
        guard !ids.isEmpty || link.board.isSerializationDisabled else {
          return done(.failure(.nothingSelected))
        }
        let offset = WhiteRoom.copyOffset
        link.elements.copy(ids, by: (offset, offset), done)
      }
    }
  }
}

extension RoomRequest<Receipt> {
  package static var deleteSelection: Self { onSelection { $0.elements.erase($1, $2) } }

  static func onSelection(
    _ body: @escaping @Sendable (RoomLink, [WhiteElementID], @escaping CommandCompletion) -> Void
  ) -> Self {
    RoomRequest { room, finish in
      let ids = room.selection
      room.link.enter { link in
        guard !ids.isEmpty else { return finish(.failure(.nothingSelected)) }
        body(link, ids, finish)
      }
    }
  }
}
