import BoardroomModel
import EventLogModel

/// The family `room`: what operators do to a room, and in their own log to everybody.
extension RoomState {
  mutating func fold(_ event: RoomLifeEvent, at time: Timestamp, _ touched: inout RoomParts) -> String? {
    switch event {
    case .created(let created): foldCreated(created, at: time, &touched)
    case .banned(let banned): foldBanned(banned, &touched)
    case .limitsSet(let patch): foldLimits(patch, &touched)
    case .deleted: foldDeleted(&touched)
    case .banSet(let ban): foldBan(ban, &touched)
    case .banLifted(let number): foldLifted(number, &touched)
    }
  }

  private mutating func foldCreated(
    _ event: RoomCreated, at time: Timestamp, _ touched: inout RoomParts
  ) -> String? {
    guard created == nil else { return Misfit.createdTwice }
    created = event
    createdAt = time
    scenes = [Scene(id: nextScene, directory: "/", name: "init")]
    currentScene = nextScene
    nextScene += 1
    touched.formUnion([.created, .scenes, .currentScene])
    return nil
  }

  private mutating func foldBanned(_ banned: Bool, _ touched: inout RoomParts) -> String? {
    guard created != nil else { return Misfit.notCreated }
    if isBanned != banned { touched.insert(.closing) }
    isBanned = banned
    return nil
  }

  /// Once deleted it stays so: its uuid is not used again.
  private mutating func foldDeleted(_ touched: inout RoomParts) -> String? {
    guard created != nil else { return Misfit.notCreated }
    if !isDeleted { touched.insert(.closing) }
    isDeleted = true
    return nil
  }

  private mutating func foldLimits(_ patch: LimitsPatch, _ touched: inout RoomParts) -> String? {
    guard created != nil else { return Misfit.notCreated }
    for field in patch.fields where limits[field.name] != field.value {
      limits[field.name] = field.value
      touched.insert(.limits)
    }
    return nil
  }

  private mutating func foldBan(_ ban: Ban, _ touched: inout RoomParts) -> String? {
    if bans[ban.number] != ban { touched.insert(.bans) }
    bans[ban.number] = ban
    return nil
  }

  private mutating func foldLifted(_ number: UInt64, _ touched: inout RoomParts) -> String? {
    guard bans.removeValue(forKey: number) != nil else { return Misfit.noBan }
    touched.insert(.bans)
    return nil
  }

  /// The ban that keeps this one out of this room now, if any: in the operators' log. Of several the one that
  /// ends last.
  public func ban(
    covering room: RoomID, uid: String?, address: String?, token: String? = nil, at now: Timestamp
  ) -> Ban? {
    bans.values.filter { $0.covers(room: room, uid: uid, address: address, token: token, at: now) }
      .max { ($0.until ?? .distantEnd, $1.number) < ($1.until ?? .distantEnd, $0.number) }
  }
}

extension Timestamp {
  fileprivate static var distantEnd: Timestamp { Timestamp(milliseconds: .max) }
}
