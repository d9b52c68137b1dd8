import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import BoardroomWebhooks
import EventLogModel
import HTTPTypes
import Hummingbird
import NIOPosix

/// The routes from which a copy on another machine follows the store (FILE-7): every log as it is stored
/// (deleted rooms, accounts, channels and the operators' log, too), images, and the cursors of webhooks. All
/// of it is durable. They need a token of the team's administrators; the files with secrets need the key pair
/// itself (ADR 0039).
extension RestRoutes {
  /// Logs or images on one page. 1,000: some 200 KiB.
  static let storePage = 1_000

  private static let object = OpenAPI.schema("StoredFiles")
  private static let page = Route.Parameter(
    name: "limit", meaning: "Entries on the page; 1000 if left out.",
    schema: "{\"type\":\"integer\",\"minimum\":1,\"maximum\":\(storePage)}")

  static let storeRoutes: [Route] = [
    Route(
      method: .get, path: "/v5/store/logs", summary: "List every log of the store by name (FILE-7).",
      action: .copyStore,
      parameters: [
        .init(name: "after", meaning: "The last page's last log.", schema: OpenAPI.schema("UUID")), page,
      ],
      answer: .one("StoredLogs", "The store's identity, and a page of its logs.")
    ) { try await $0.storedLogs($1) },
    Route(
      method: .get, path: "/v5/store/logs/{log}",
      summary: "Show a log, its snapshots, and the pieces in which content was erased (FILE-7).",
      action: .copyStore, answer: .one("StoredLog", "The log.")
    ) { try await $0.storedLog($1) },
    Route(
      method: .get, path: "/v5/store/logs/{log}/runs", summary: "Stream stored pieces of any log (FILE-7).",
      action: .copyStore, parameters: [after, bytes], answer: storedRuns, isValidated: true
    ) { try await $0.runs(of: $0.log(named: $1), for: $1) },
    Route(
      method: .get, path: "/v5/store/logs/{log}/snapshots/{revision}",
      summary: "Show the newest snapshot of any log not after a revision (FILE-7).", action: .copyStore,
      answer: storedSnapshot, isValidated: true
    ) { try await $0.snapshot(of: $0.log(named: $1), for: $1) },
    Route(
      method: .get, path: "/v5/store/images", summary: "List every stored image by room and name (FILE-7).",
      action: .copyStore,
      parameters: [
        .init(
          name: "after", meaning: "The last page's last image, as room/name.",
          schema: #"{"type":"string","pattern":"^[0-9a-f]{32}/[0-9a-f]{64}\\.(png|jpg|webp|gif)$"}"#), page,
      ],
      answer: .one("StoredImages", "A page of images; show one at its address.")
    ) { try await $0.storedImages($1) },
    Route(
      method: .get, path: "/v5/store/webhooks",
      summary: "Show how far each endpoint of webhooks was told, without its secret (FILE-7).",
      action: .copyStore, answer: Route.ResponseBody(meaning: "The files.", schema: object), isValidated: true
    ) { try await $0.storedWebhooks($1) },
    Route(
      method: .post, path: "/v5/store/keys",
      summary: "Show the files with secrets to who has the key pair itself (FILE-7).",
      body: .object(
        #""accessKey":{"type":"string","minLength":1,"maxLength":256},"#
          + #""secretAccessKey":{"type":"string","minLength":1,"maxLength":256}"#,
        required: ["accessKey", "secretAccessKey"]),
      answer: Route.ResponseBody(meaning: "The files.", schema: object), refusals: [401]
    ) { try await $0.storedKeys($1) },
  ]

  // MARK: Logs

  private func storedLogs(_ call: RestCall) async throws -> Response {
    let limit = Int(try call.number("limit", 1...UInt64(Self.storePage)) ?? UInt64(Self.storePage))
    var after: LogID?
    if let text = try call.query("after") {
      guard let log = LogID(text) else { throw RestBody.wrong("after", "has not 32 hexadecimal digits") }
      after = log
    }
    let logs = try await engine.store.logs(after: after, limit: limit)
    let text = logs.map { "{\(Self.fields(of: $0))}" }.joined(separator: ",")
    return .json(bytes: Array("{\"store\":\"\(storeIdentity)\",\"logs\":[\(text)]}".utf8))
  }

  /// Written without `JSONValue`, because a large store has 100,000 logs, and a copy asks for them every few
  /// seconds.
  private static func fields(of info: LogInfo) -> String {
    "\"log\":\"\(info.log)\",\"epoch\":\"\(info.epoch)\",\"created\":\(info.created.milliseconds)"
      + ",\"low\":\(info.low),\"last\":\(info.last),\"lastTime\":\(info.lastTime.milliseconds)"
      + ",\"rawBytes\":\(info.rawBytes),\"storedBytes\":\(info.storedBytes)"
  }

  private func storedLog(_ call: RestCall) async throws -> Response {
    let info = try await log(named: call)
    let snapshots = try await engine.store.snapshots(of: info.log).filter { $0.revision <= info.last }
    let erased = try await (history.store as? any ErasingStore)?.erasedBlocks(of: info.log) ?? []
    var text = "{\(Self.fields(of: info)),\"snapshots\":["
    text += snapshots.map { snapshot in
      "{\"revision\":\(snapshot.revision),\"time\":\(snapshot.time.milliseconds),\"bytes\":\(snapshot.bytes)}"
    }.joined(separator: ",")
    text += "],\"erased\":["
    text += erased.map { "{\"first\":\($0.first),\"last\":\($0.last)}" }.joined(separator: ",")
    return .json(bytes: Array((text + "]}").utf8))
  }

  private func log(named call: RestCall) async throws -> LogInfo {
    guard let log = call.context.parameters.get("log").flatMap({ LogID($0) }) else {
      throw RestError(
        .badName, "A log's name has 32 hexadecimal digits.", cure: "Take it from GET /v5/store/logs.")
    }
    return try await engine.store.info(of: log)
  }

  // MARK: Files

  private func storedImages(_ call: RestCall) async throws -> Response {
    let limit = Int(try call.number("limit", 1...UInt64(Self.storePage)) ?? UInt64(Self.storePage))
    let after = try call.query("after")
    if let after {
      let parts = after.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, RoomID(String(parts[0])) != nil, ImageName(String(parts[1])) != nil else {
        throw RestBody.wrong("after", "is no image as room/name")
      }
    }
    let page: [ListedImage]
    do { page = try await images.page(after: after, limit: limit) } catch let failure as ImageFailure {
      throw RestError(failure)
    }
    let text = page.map { image in
      "{\"room\":\"\(image.room)\",\"name\":\"\(image.name)\",\"bytes\":\(image.bytes)}"
    }.joined(separator: ",")
    return .json(bytes: Array("{\"images\":[\(text)]}".utf8))
  }

  private func storedWebhooks(_ call: RestCall) async throws -> Response {
    var files = try await NIOThreadPool.singleton.runIfActive { [data] in
      try StoredFiles.webhooks(of: data)
    }
    if let sharedCursors { files.replaceCursors(by: try await sharedCursors()) }
    return try await call.validated(
      files.tag, isForEver: false, type: "application/json; charset=utf-8"
    ) { ResponseBody(byteBuffer: .init(bytes: files.json)) }
  }

  /// No token is enough: a token expires, and the keys do not (RIGHT-5).
  private func storedKeys(_ call: RestCall) async throws -> Response {
    let body = try await call.body()
    let key = try body.needText("accessKey", bytes: 256)
    let secret = try body.needText("secretAccessKey", bytes: 256)
    let files = try await NIOThreadPool.singleton.runIfActive { [data] in
      try StoredFiles.keys(of: data, for: key, secret)
    }
    guard let files else {
      throw RestError(
        .tokenInvalid, "The access key or its secret is not one of this server's.",
        cure: "Take both from the key file in the data folder.")
    }
    return .json(bytes: files.json)
  }
}

/// Small text files of a data folder, with their places in it.
struct StoredFiles: Sendable {
  private var files: [(name: String, bytes: [UInt8])] = []

  /// All files of the folder of webhooks except the secret.
  static func webhooks(of data: String) throws -> StoredFiles {
    var found = StoredFiles()
    for name in try PlainFile.names(in: data + "/" + Webhooks.folder)
    where name != Webhooks.secretName && !PlainFile.isUnfinished(name) {
      try found.add(name, in: data + "/" + Webhooks.folder)
    }
    return found
  }

  /// The key file, the key that signs archives, the secret of webhooks; nil unless the pair is one of the key file's.
  static func keys(of data: String, for key: String, _ secret: String) throws -> StoredFiles? {
    guard let known = try KeyFile.read("\(data)/\(KeyFile.name)")?.secret(of: key),
      SecretBytes.areEqual(Array(known.utf8), Array(secret.utf8))
    else { return nil }
    var found = StoredFiles()
    for name in [KeyFile.name, SigningKey.name, "\(Webhooks.folder)/\(Webhooks.secretName)"] {
      try found.add(name, in: data)
    }
    return found
  }

  /// Puts the cursors that are kept for all nodes in the place of files, as files would have them.
  mutating func replaceCursors(by cursors: [String: [RoomID: Cursor]]) {
    files.removeAll { $0.name.hasSuffix(WebhookCursorFile.ending) }
    for (id, known) in cursors.sorted(by: { $0.key < $1.key }) {
      files.append((id + WebhookCursorFile.ending, Array(WebhookCursorFile.text(of: known).utf8)))
    }
  }

  private mutating func add(_ name: String, in folder: String) throws {
    guard let bytes = try PlainFile.read("\(folder)/\(name)") else { return }
    files.append((name, bytes))
  }

  /// A tag that is equal for equal content.
  var tag: String {
    var digest = ContentDigest()
    for file in files { digest.add(Array("\(file.name) \(file.bytes.count)\n".utf8) + file.bytes) }
    return digest.text
  }

  var json: [UInt8] {
    JSONValue.object([
      (
        "files",
        .array(
          files.map { file in
            .object([
              ("name", .string(file.name)), ("text", .string(String(decoding: file.bytes, as: UTF8.self))),
            ])
          })
      )
    ]).compact
  }
}
