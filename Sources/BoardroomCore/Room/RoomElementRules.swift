import BoardroomModel
import EventLogModel

/// What the family `elements` needs.
extension Room {
  func elements(_ command: ElementCommand, by author: MemberID?) throws(Refusal) -> Outcome {
    switch command {
    case .put(let put): return try putElement(put, by: author)
    case .erase(let ids): return try erase(ids)
    case .change(let changed): return try changeElements(changed, by: author)
    case .copy(let copies): return try copyElements(copies, by: author)
    }
  }

  /// DEC-8, EL-3: ids that are not on the board, and locked elements, are dropped; only if none is left is it
  /// refused.
  private func erase(_ ids: [ElementID]) throws(Refusal) -> Outcome {
    try checkList(ids.count, of: "element")
    var seen: Set<ElementID> = []
    var locked = false
    let known = ids.filter { id in
      guard let element = state.elements[id], seen.insert(id).inserted else { return false }
      if Authority.locks(element, against: nil) { locked = true }
      return !Authority.locks(element, against: nil)
    }
    guard !known.isEmpty else { throw Refusal(locked ? .locked : .noSuchElement) }
    return Outcome(event: .elements(.erased(known)), isVerbatim: known.count == ids.count)
  }

  /// DEC-9: an id that is not on the board must be of the author's own numbers. What is there may be put
  /// anew by any writable member, unless it is a stroke (that consists of its segments) or locked.
  private func putElement(_ put: ElementPut, by author: MemberID?) throws(Refusal) -> Outcome {
    try checkSize(put.raw.bytes.count, inForce.limits.element, LimitName.element)
    try checkScene(put.scene)
    guard let element = state.elements[put.id] else {
      try checkOwn(put.id, author)
      try checkNotBuried(put.id)
      try checkElements(plus: 1)
      try checkBoard(plus: put.bytes)
      return Outcome(event: .elements(.put(put)), isVerbatim: true)
    }
    switch element.content {
    case .shape:
      guard !Authority.locks(element, against: nil) else { throw Refusal(.locked) }
    case .stroke:
      throw Refusal(
        .badParameter, cause: "The element is a stroke.", cure: "Erase it and put an element of another id.")
    }
    try checkBoard(plus: put.bytes - element.bytes + (keepsHistory(author) ? put.bytes + element.bytes : 0))
    return Outcome(event: .elements(.put(put)), isVerbatim: true)
  }

  /// HIST-11: else what was erased could not be brought back.
  func checkNotBuried(_ id: ElementID) throws(Refusal) {
    guard !state.elements.isBuried(id) else {
      throw Refusal(
        .badParameter, cause: "The id is that of an erased element that an undo can bring back.",
        cure: "Number strokes and elements upwards, each once.")
    }
  }

  private func checkOwn(_ id: ElementID, _ author: MemberID?) throws(Refusal) {
    guard id.member == author else {
      throw Refusal(
        .noSuchElement, cause: "There is no such element, and its id is of another member's numbers.",
        cure: "Give elements of yours your own member number.")
    }
  }

  /// EL-3: what is locked or gone is left out; only if nothing is left is it refused.
  private func changeElements(_ changed: ElementsChanged, by author: MemberID?) throws(Refusal) -> Outcome {
    try checkList(changed.changes.count, of: "change")
    var locked = false
    var accepted: [ElementChange] = []
    var growth = 0
    for change in changed.changes {
      guard let element = state.elements[change.id] else { continue }
      guard !Authority.locks(element, against: change.set.fields.map(\.key)) else {
        locked = true
        continue
      }
      try checkAttributes(change.set, over: element.attributes)
      growth += element.attributes.growth(by: change.set.fields)
      if keepsHistory(author) {
        growth += change.set.fields.reduce(0) { sum, field in
          let before = element.attributes[field.key]
          return sum + StepOperation.set(change.id, key: field.key, before: before, after: field.value).bytes
        }
      }
      accepted.append(change)
    }
    guard !accepted.isEmpty else { throw Refusal(locked ? .locked : .noSuchElement) }
    try checkBoard(plus: growth)
    return Outcome(
      event: .elements(.changed(ElementsChanged(accepted))),
      isVerbatim: accepted.count == changed.changes.count)
  }

  /// What changes lay over an element may be as large as an element, and may shrink from more.
  private func checkAttributes(
    _ patch: JSONPatch, over attributes: [String: JSONText]
  ) throws(Refusal) {
    try checkSize(patch.raw.bytes.count, inForce.limits.element, LimitName.element)
    let before = attributes.size
    let after = attributes.size(before, after: patch)
    if after > before { try checkSize(after, inForce.limits.element, LimitName.element) }
  }

  /// EL-8: copies have numbers of the author's own that are not on the board, each once.
  private func copyElements(_ copies: [ElementCopy], by author: MemberID?) throws(Refusal) -> Outcome {
    try checkList(copies.count, of: "copy")
    guard Set(copies.map(\.id)).count == copies.count else {
      throw Refusal(
        .badParameter, cause: "Two copies have one id.",
        cure: "Give each copy an id of its own.")
    }
    try checkElements(plus: copies.count)
    try checkBoard(plus: bytes(of: copies))
    for copy in copies {
      guard let source = state.elements[copy.from] else { throw Refusal(.noSuchElement) }
      try checkScene(copy.scene)
      try checkOwn(copy.id, author)
      guard state.elements.ordinal(of: copy.id) == nil else {
        throw Refusal(
          .badParameter, cause: "A copy's id is that of an element on the board.",
          cure: "Number strokes and elements upwards, each once.")
      }
      try checkNotBuried(copy.id)
      if let set = copy.set { try checkAttributes(set, over: source.attributes) }
    }
    return Outcome(event: .elements(.copied(copies)), isVerbatim: true)
  }

  /// What copies would add to the board; of sources that are not there nothing.
  func bytes(of copies: [ElementCopy]) -> Int {
    copies.reduce(0) { sum, copy in
      guard let source = state.elements[copy.from] else { return sum }
      return sum + source.bytes + (copy.set.map { source.attributes.growth(by: $0.fields) } ?? 0)
    }
  }

  // MARK: Limits

  /// A command without anything to do is a mistake of its sender, whatever its kind.
  func checkList(_ count: Int, of what: String) throws(Refusal) {
    guard count > 0 else {
      throw Refusal(
        .badParameter, cause: "The command's list of its \(what) entries is empty.",
        cure: "Send one entry or more.")
    }
  }

  /// BOUND-1: the board may count for so much. What makes it smaller, or leaves it as it is, is always let through.
  func checkBoard(plus growth: Int) throws(Refusal) {
    guard growth > 0, boardBytes + growth > inForce.board else { return }
    throw Refusal(
      .tooLarge, cause: "The board would be larger than its limit.",
      cure: "Erase what is not needed, end histories (historySet 0), or ask the operator to raise the limit.",
      actual: boardBytes + growth, allowed: inForce.board, limit: LimitName.board)
  }

  func keepsHistory(_ author: MemberID?) -> Bool {
    guard !state.histories.isEmpty, let author else { return false }
    return state.histories[author] != nil
  }

  func checkElements(plus count: Int) throws(Refusal) {
    try checkCount(state.elements.count + count, inForce.elements, LimitName.elements)
  }

  func checkPoints(_ count: Int) throws(Refusal) {
    try checkCount(count, inForce.points, LimitName.points)
  }

  func checkCount(_ actual: Int, _ allowed: Int, _ limit: String) throws(Refusal) {
    guard actual <= allowed else {
      throw Refusal(.tooMany, actual: actual, allowed: allowed, limit: limit)
    }
  }

  func checkSize(_ actual: Int, _ allowed: Int, _ limit: String) throws(Refusal) {
    guard actual <= allowed else {
      throw Refusal(.tooLarge, actual: actual, allowed: allowed, limit: limit)
    }
  }
}

extension ElementPut {
  /// What the element will count for.
  var bytes: Int { Element.overhead + raw.bytes.count + (set.map { [:].growth(by: $0.fields) } ?? 0) }
}
