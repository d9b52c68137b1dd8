import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Scenes and events in the server's own name: RE-5 to RE-7 and RE-23.
extension RestRoutes {
  /// Scenes put by one request. 1,000: a deck of any size; more goes in pieces.
  static let mostScenes = 1_000
  /// 1 MiB: a thousand scenes with a long address each.
  private static let sceneBody = 1 << 20

  /// A path begins with a slash. Except for the root, it has no empty part and no slash at the end.
  static let scenePath =
    #"{"type":"string","maxLength":1024,"pattern":"^(/|(/[^/\\x00-\\x1f\\x7f]+)+)$"}"#

  static let sceneRoutes: [Route] = [
    Route(
      method: .get, path: "/v5/rooms/{uuid}/scenes", summary: "List the paths of scenes (RE-5).",
      action: .listScenes,
      parameters: [
        .init(
          name: "sceneDir", meaning: "Only what lies in and below this directory.", schema: scenePath)
      ],
      answer: Route.ResponseBody(
        meaning: "Paths, in the order of the pages.", schema: #"{"type":"array","items":{"type":"string"}}"#)
    ) { try await $0.listScenes($1) },
    Route(
      method: .post, path: "/v5/rooms/{uuid}/scenes", summary: "Put scenes into a directory (RE-6).",
      action: .insertScene,
      body: .object(
        """
        "path":\(scenePath),
        "scenes":{"type":"array","minItems":1,"maxItems":\(mostScenes),
        "items":{"$ref":"#/components/schemas/Scene"}},
        "index":{"type":["integer","null"],"minimum":0,"maximum":\(Int32.max)},
        "overwrite":{"type":["boolean","null"]}
        """, required: ["path", "scenes"], limit: sceneBody),
      answer: Route.ResponseBody(
        status: 201, meaning: "They are there.", schema: #"{"type":"object","maxProperties":0}"#),
      refusals: [503]
    ) { try await $0.insertScenes($1) },
    Route(
      method: .patch, path: "/v5/rooms/{uuid}/scene-state", summary: "Switch the scene for everyone (RE-7).",
      action: .switchScene, body: .object("\"scenePath\":\(scenePath)", required: ["scenePath"]),
      answer: .one("CurrentScene", "The page that is shown now.", status: 201), refusals: [503]
    ) { try await $0.switchScene($1) },
    Route(
      method: .post, path: "/v5/rooms/{uuid}/events",
      summary: "Send a custom event in the server's own name (RE-23, ME-3).", action: .sendEvent,
      body: .object(
        #""name":{"type":"string","minLength":1,"maxLength":256,"pattern":"^[^\\x00-\\x1f\\x7f]+$"},"payload":{}"#,
        required: ["name"]),
      answer: .one("Recorded", "The event's revision.", status: 201), refusals: [503]
    ) { try await $0.sendEvent($1) },
  ]

  private func listScenes(_ call: RestCall) async throws -> Response {
    let directory = try call.query("sceneDir")
    if let directory { try Self.checkPath(directory, "sceneDir") }
    let state = try await state(of: call.room())
    var scenes = state.scenes.map(\.path)
    if let directory {
      let start = directory == "/" ? "/" : directory + "/"
      scenes = scenes.filter { $0.hasPrefix(start) }
      guard !scenes.isEmpty else { throw RestError(.noSuchScene) }
    }
    return .json(.array(scenes.map { .string($0) }))
  }

  static func checkPath(_ path: String, _ field: String) throws(RestError) {
    let isPlain = path.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    guard isPlain, ScenePath.isPath(path) else {
      throw RestError(
        .badName, "\(field) is not a path.", cure: "Write it as /part/part, without a slash at the end.")
    }
  }

  private func insertScenes(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    let body = try await RestBody(call.request, limit: Self.sceneBody)
    let put = ScenesPut(
      directory: try body.needText("path", bytes: 1_024),
      index: try body.count("index", upTo: Int(Int32.max)) ?? Int(Int32.max), scenes: try body.scenes())
    let overwrites = try body.flag("overwrite") ?? false
    try await engine.carryOut(.scenes(.put(put)), in: room) { state in
      overwrites ? nil : Self.taken(by: put, in: state)
    } reading: { _ in
    }
    return .json(.object([]), status: .created)
  }

  /// X-63: by REST, a scene of the same name is an error unless it was meant.
  private static func taken(by put: ScenesPut, in state: RoomState) -> Refusal? {
    let names = Set(put.scenes.map(\.name))
    guard state.scenes.contains(where: { $0.directory == put.directory && names.contains($0.name) }) else {
      return nil
    }
    return Refusal(
      .badParameter, cause: "A scene of the same name is in the directory already.",
      cure: "Choose another name, or set overwrite.")
  }

  /// Switches to a page, or to the first page of a directory.
  private func switchScene(_ call: RestCall) async throws -> Response {
    let path = try await call.body().needText("scenePath", bytes: 1_024)
    let current = try await engine.carryOut(.scenes(.switchTo(.path(path))), in: call.room()) { state in
      state.scene(state.currentScene)?.path ?? "/"
    }
    return .json(.object([("currentScenePath", .string(current))]), status: .created)
  }

  private func sendEvent(_ call: RestCall) async throws -> Response {
    let limits = engine.policy.limits
    let body = try await RestBody(
      call.request, limit: limits.magix + RestBody.limit, depth: limits.jsonDepth)
    let name = try body.needText("name", bytes: limits.magix)
    let revision = try await say(name, body.value("payload") ?? .null, in: call.room())
    return .json(
      .object([("revision", .number(String(revision.rawValue)))]), status: .created)
  }
}

extension RestBody {
  /// RE-6: names without a slash, each with an optional `ppt`.
  fileprivate func scenes() throws(RestError) -> [SceneSpec] {
    guard let items = value("scenes")?.array, (1...RestRoutes.mostScenes).contains(items.count) else {
      throw Self.wrong("scenes", "is not a list of 1 to \(RestRoutes.mostScenes)")
    }
    var scenes: [SceneSpec] = []
    for item in items {
      guard item.object != nil else { throw Self.wrong("scenes", "holds something that is no object") }
      let scene = RestBody(item)
      let name = try scene.needText("name", bytes: 1_024)
      guard name.isEmpty || ScenePath.isName(name) else {
        throw RestError(.badName, "A scene's name has a slash.", cure: "Put what is left of it into path.")
      }
      scenes.append(SceneSpec(id: 0, name: name, ppt: try scene.ppt()))
    }
    return scenes
  }

  private func ppt() throws(RestError) -> JSONText? {
    guard let value = value("ppt") else { return nil }
    let isWhole = value["src"]?.string != nil
    guard value.object != nil, isWhole, isSize(value["width"]), isSize(value["height"]) else {
      throw Self.wrong("ppt", "is not an object with src, width and height")
    }
    return value.text
  }

  private func isSize(_ value: JSONValue?) -> Bool {
    guard let value, !value.isNull else { return true }
    return value.double.map { $0.isFinite && $0 > 0 } ?? false
  }
}
