import BoardroomModel
import EventLogModel

/// The family `moderation`: who may write, and who asks to.
extension RoomState {
  /// Whether nobody keeps the member from writing: neither an administrator (MOD-5) nor a lock (MOD-6).
  public func mayWrite(_ member: Member) -> Bool {
    guard !member.isBarred else { return false }
    guard let lock else { return true }
    guard let by = lock.by, members[by] != nil else { return member.role == .admin }
    return member.id == by
  }

  mutating func fold(
    _ event: Moderation, by actor: Actor, at time: Timestamp, _ touched: inout RoomParts
  ) -> String? {
    switch event {
    case .hand(let isRaised): foldHand(isRaised, by: actor, at: time, &touched)
    case .writing(let member, let isAllowed): foldAllowed(member, isAllowed, &touched)
    case .lock(let isLocked): foldLock(isLocked, by: actor, &touched)
    }
  }

  /// HAND-1: a hand that is up already has been so since then.
  private mutating func foldHand(
    _ isRaised: Bool, by actor: Actor, at time: Timestamp, _ touched: inout RoomParts
  ) -> String? {
    guard let id = actor.member, let member = members[id] else { return Misfit.noMember }
    let hand = isRaised ? member.hand ?? time : nil
    if member.hand != hand { touched.insert(.hands) }
    members[id]?.hand = hand
    return nil
  }

  private mutating func foldAllowed(
    _ id: MemberID, _ isAllowed: Bool, _ touched: inout RoomParts
  ) -> String? {
    guard let member = members[id] else { return Misfit.noMember }
    guard member.role != .reader else { return Misfit.readsOnly }
    if member.isBarred == isAllowed { touched.insert(.lock) }
    members[id]?.isBarred = !isAllowed
    // Who is handed the pen has it, whatever it wanted before.
    updateWritable(id, wants: isAllowed ? true : nil, &touched)
    return nil
  }

  private mutating func foldLock(
    _ isLocked: Bool, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard created != nil else { return Misfit.notCreated }
    guard actor.member.map({ members[$0] != nil }) ?? true else { return Misfit.noMember }
    let lock = isLocked ? RoomLock(by: actor.member) : nil
    if self.lock != lock { touched.insert(.lock) }
    self.lock = lock
    settleAll(&touched)
    return nil
  }

  /// Who comes into a locked room, or has gone from it without being allowed to write.
  mutating func keepFromWriting(newcomer id: MemberID) {
    guard let member = members[id] else { return }
    if let uid = member.uid, let place = barredUsers.firstIndex(where: { $0.isTheSame(as: uid) }) {
      barredUsers.remove(at: place)
      members[id]?.isBarred = true
    }
    guard member.writable, let now = members[id], !mayWrite(now) else { return }
    members[id]?.writable = false
    members[id]?.isKept = true
  }

  /// MOD-5: going and coming back is no way out.
  mutating func remember(barred member: Member) {
    guard member.isBarred, let uid = member.uid else { return }
    barredUsers.removeAll { $0.isTheSame(as: uid) }
    barredUsers.append(uid)
    if barredUsers.count > Self.mostBarred { barredUsers.removeFirst() }
  }

  mutating func settleAll(_ touched: inout RoomParts) {
    for id in members.keys.sorted() { updateWritable(id, &touched) }
  }
}

extension String {
  /// To the byte, as every language compares texts.
  fileprivate func isTheSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
