import BoardroomLegacy

// Every command that has an `async` form, called without a completion where both forms can be seen: the type of each answer is
// that of the `async` form, and an `await` that waits for nothing would be a warning.

func useBoard(_ room: WhiteRoom, _ image: WhiteImageInformation) async throws(BoardroomError) {
  let pen = WhitePen(colour: Colour(red: 200, green: 0, blue: 0))
  let point = WhitePoint(x: 0, y: 0)
  let stroke: WhiteStroke = room.beginStroke(pen, [point])
  stroke.append([point])
  stroke.finish()
  var receipts: [Receipt] = []
  receipts.append(try await stroke.extend([point]))
  receipts.append(try await stroke.end([point]))
  receipts.append(try await stroke.end())

  var made: [WhiteElementID] = []
  made.append(try await room.drawStroke(pen, [point]))
  made.append(try await room.insert(WhiteShape(.rectangle, x: 0, y: 0, width: 9, height: 9)))
  made.append(try await room.insertElement(.text, ["x": 0, "y": 0, "text": "Hello"]))
  made.append(try await room.insertRectangle(x: 0, y: 0, width: 9, height: 9))
  made.append(try await room.insertNote(x: 0, y: 0, width: 9, height: 9, text: "Ask Ben"))
  made.append(try await room.insertText(x: 0, y: 0, text: "Hello"))
  made.append(try await room.insertImage(image))
  made.append(try await room.insertImage(image, src: "https://example.org/picture.png"))
  let first = made[0]

  receipts.append(try await room.completeImageUpload(image.uuid, src: "https://example.org/picture.png"))
  receipts.append(try await room.updateText(first, "Hello Ben"))
  receipts.append(try await room.lockImage(image.uuid, locked: true))
  receipts.append(try await room.lockImages(false))
  receipts.append(try await room.move(made, x: 1, y: 1))
  receipts.append(try await room.transform(made, [1, 0, 0, 1, 0, 0]))
  receipts.append(try await room.restyle(made, WhiteStyle()))
  receipts.append(try await room.change(first, ["width": 3]))
  receipts.append(try await room.lock(made, true))
  receipts.append(try await room.bringToFront(made))
  receipts.append(try await room.sendToBack(made))
  receipts.append(try await room.erase(made))

  room.select(made)
  let remembered: Int = try await room.copy()
  let pasted: [WhiteElementID] = try await room.paste() + (try await room.duplicate())
  receipts.append(try await room.updateSelectedText("\(remembered) of \(pasted.count)"))
  receipts.append(try await room.deleteSelection())

  receipts.append(try await room.setHistory(enabled: true))
  receipts.append(try await room.disableSerialization(false))
  let left: (undo: Int, redo: Int) = (try await room.undo(), try await room.redo())
  receipts.append(try await room.react("👍", at: point))
  receipts.append(try await room.react("👍", on: first))
  precondition(left.undo >= 0 && receipts.count > 20)
}

func useRoom(_ room: WhiteRoom) async throws(BoardroomError) {
  var receipts: [Receipt] = []
  receipts.append(try await room.setGlobalState(["topic": "waves"]))
  receipts.append(try await room.setMemberState(WhiteMemberState(.pencil)))
  receipts.append(try await room.setViewMode(.broadcaster))
  receipts.append(try await room.dispatchMagixEvent("greeting", payload: "hello"))
  let isWritable: Bool = try await room.setWritable(true)
  receipts.append(try await room.raiseHand(true))
  receipts.append(try await room.allowWriting(true, memberId: 1))
  receipts.append(try await room.lockRoom(isWritable))

  receipts.append(try await room.moveCamera(WhiteCameraState(centerX: 0, centerY: 0, scale: 1)))
  receipts.append(try await room.moveCameraToContainer(WhiteRectangle(width: 9, height: 9)))
  receipts.append(try await room.scalePptToFit())
  receipts.append(try await room.movePointer(x: 0, y: 0))

  receipts.append(try await room.putScenes("/lesson", scenes: [WhiteScene(name: "1")], index: 0))
  receipts.append(try await room.setScenePath("/lesson/1"))
  receipts.append(try await room.setSceneIndex(0))
  receipts.append(try await room.moveScene("/lesson/1", target: "/lesson/2"))
  receipts.append(try await room.moveScene("/lesson/2", target: "/lesson/3", index: 0))
  receipts.append(try await room.cleanScene(true))
  receipts.append(try await room.addPage())
  receipts.append(try await room.pptNextStep())
  receipts.append(try await room.pptPreviousStep())
  receipts.append(try await room.removeScenes("/lesson"))
  let turned: [Bool] = [await room.nextPage(), await room.prevPage(), await room.removePage()]
  precondition(receipts.count + turned.count > 20)

  let store: WhiteSyncedStore = try await room.connectSyncedStore("poll")
  receipts.append(try await store.setState(["yes": 1]))
  receipts.append(try await store.resetState())
  receipts.append(try await store.deleteStorage())
  room.setTextEditing(enabled: true)
  room.setImageErasing(enabled: true)
  room.setCameraTransform(enabled: true)
  room.setDeviceInput(enabled: true)
  await room.disconnect()
}

func readRoom(_ room: WhiteRoom) async throws(BoardroomError) -> [String] {
  let state: WhiteRoomState = await room.getRoomState()
  let values: [String: JSONText] = await room.getGlobalState()
  let own: WhiteMemberState = await room.getMemberState()
  let members: [WhiteRoomMember] = await room.getRoomMembers()
  let scenes: (WhiteSceneState, [WhiteScene]) = (await room.getSceneState(), await room.getScenes())
  let all: [String: [WhiteScene]] = await room.getEntireScenes()
  let one: WhiteScene? = await room.getScene("/init")
  let type: WhiteScenePathType = await room.getScenePathType("/init")
  let broadcast: WhiteBroadcastState = await room.getBroadcastState()
  let phase: WhiteRoomPhase = await room.getRoomPhase()
  let scale: Double = await room.getZoomScale()
  let pictures: [String] = [
    try await room.getSceneSnapshotImage("/init"), try await room.getScenePreviewImage("/init"),
    await room.getLocalSnapShot(),
  ]
  let texts = [
    "\(state) \(values) \(own) \(members) \(scenes)", "\(all) \(type) \(broadcast) \(phase) \(scale)",
  ]
  return pictures + texts + (one.map { [$0.name] } ?? [])
}

/// Tasks whose isolation Swift finds out itself.
@MainActor func useButtons(_ room: WhiteRoom, _ sdk: WhiteSDK, _ config: WhiteRoomConfig) {
  Task { _ = try? await room.undo() }
  Task { try await room.redo() }
  Task { try await room.movePointer(x: 1, y: 1) }
  Task {
    let next: WhiteRoom = try await sdk.joinRoom(config)
    await next.disconnect()
  }
}

func usePlayers(_ player: WhitePlayer, _ pair: WhiteCombinePlayer) async -> [WhitePlayerSeekResult] {
  [await player.seekToScheduleTime(1), await pair.seek(to: 1)]
}

func useMessages(_ client: RtmClient) async throws(RtmErrorCode) {
  try await client.loginByToken("token", user: "anna")
  try await client.sendMessage("hello", toPeer: "ben")
  let attributes: [String: String] = try await client.getUserAllAttributes("ben")
  let online: [String: Bool] = try await client.queryPeersOnlineStatus(["ben"])
  precondition(attributes.count + online.count > 0)
  try await client.logout()
}
