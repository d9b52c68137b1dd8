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

  /// Remembers what is selected for `paste`. Refused while serialization is disabled (EL-6).
  public func copy(completion: (@Sendable (Result<Int, BoardroomError>) -> Void)?) {
    let finish = whenDone(completion)
    link.enter { [weak self] link in
      guard let self else { return }
      guard !link.board.isSerializationDisabled else { return finish(.failure(.serializationDisabled)) }
      let count = shown.with { shown in
        shown.clipboard = shown.selection
        return shown.clipboard.count
      }
      finish(count > 0 ? .success(count) : .failure(.nothingSelected))
    }
  }

  /// The same; returns how many elements were remembered.
  @discardableResult
  public func copy() async throws(BoardroomError) -> Int {
    try await answer { answer in self.copy { answer($0) } }
  }

  /// Puts copies of what was remembered onto the current page, with what it looks like now; they are selected
  /// then. What was erased since cannot be pasted.
  public func paste(completion: (@Sendable (Result<[WhiteElementID], BoardroomError>) -> Void)?) {
    copies(of: shown.with { $0.clipboard }, completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func paste() async throws(BoardroomError) -> [WhiteElementID] {
    try await answer { answer in self.paste { answer($0) } }
  }

  /// Copies what is selected; the copies are selected then.
  public func duplicate(completion: (@Sendable (Result<[WhiteElementID], BoardroomError>) -> Void)?) {
    copies(of: selection, completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func duplicate() async throws(BoardroomError) -> [WhiteElementID] {
    try await answer { answer in self.duplicate { answer($0) } }
  }

  /// Erases what is selected.
  public func deleteSelection(completion: (@Sendable (WhiteResult) -> Void)?) {
    onSelection(completion) { $0.elements.erase($1, $2) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func deleteSelection() async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.deleteSelection { answer($0) } }
  }

  private func copies(
    of ids: [WhiteElementID],
    _ completion: (@Sendable (Result<[WhiteElementID], BoardroomError>) -> Void)?
  ) {
    let finish = whenDone(completion)
    let done: @Sendable (Result<[WhiteElementID], BoardroomError>) -> Void = { [weak self] result in
      if case .success(let made) = result { self?.select(made) }
      finish(result)
    }
    link.enter { link in
      guard !ids.isEmpty || link.board.isSerializationDisabled else {
        return done(.failure(.nothingSelected))
      }
      link.elements.copy(ids, by: (Self.copyOffset, Self.copyOffset), done)
    }
  }

  func onSelection(
    _ completion: (@Sendable (WhiteResult) -> Void)?,
    _ body: @escaping @Sendable (RoomLink, [WhiteElementID], @escaping CommandCompletion) -> Void
  ) {
    let ids = selection
    run(completion) { link, done in
      guard !ids.isEmpty else { return done(.failure(.nothingSelected)) }
      body(link, ids, done)
    }
  }
}
