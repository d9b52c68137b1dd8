import BoardroomAccess
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Pictures of scenes: RE-8, RE-9. A request for a picture only returns a signed address; the picture is
/// drawn when the address is opened.
extension RestRoutes {
  /// In pixels. 4,096: what browsers and rsvg-convert draw without effort.
  static let largestPicture = 4_096

  private static let size = "{\"type\":\"integer\",\"minimum\":1,\"maximum\":\(largestPicture)}"
  private static let request = """
    "width":\(size),"height":\(size),"path":{"anyOf":[{"type":"null"},\(scenePath)]},
    "format":{"type":["string","null"],"enum":["png","svg",null]}
    """

  static let pictureRoutes: [Route] = [
    Route(
      method: .post, path: "/v5/rooms/{uuid}/screenshots", summary: "Ask for a picture of a page (RE-8).",
      action: .takeScreenshot, body: .object(request, required: ["width", "height"]),
      answer: .one("Picture", "Where it is.")
    ) { try await $0.takeScreenshot($1) },
    Route(
      method: .post, path: "/v5/rooms/{uuid}/screenshot-list",
      summary: "Ask for pictures of the pages of a directory (RE-9).", action: .takeScreenshot,
      body: .object(request, required: ["width", "height"]),
      answer: .many("Picture", "Where they are, in the order of the pages.")
    ) { try await $0.takeScreenshots($1) },
    Route(
      method: .get, path: "/v5/rooms/{uuid}/pictures/{name}",
      summary: "Show a picture. Its address is its permission: no token is asked for.",
      answer: Route.ResponseBody(meaning: "The picture.", types: ["image/png", "image/svg+xml"]),
      refusals: [429]
    ) { try await $0.showPicture($1) },
  ]

  private func takeScreenshot(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    let order = try PictureOrder(try await call.body(), usualPath: "/init", formats: pictures.formats)
    let state = try await state(of: room)
    guard let scene = state.scene(path: order.path) else { throw RestError(.noSuchScene) }
    return .json(picture(order, of: scene, in: room, state))
  }

  /// Only direct children of the directory.
  private func takeScreenshots(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    let order = try PictureOrder(try await call.body(), usualPath: "/", formats: pictures.formats)
    let state = try await state(of: room)
    let scenes = state.scenes.filter { $0.directory == order.path }
    guard !scenes.isEmpty || state.pathType(order.path) == .directory else { throw RestError(.noSuchScene) }
    return .json(.array(scenes.map { picture(order, of: $0, in: room, state) }))
  }

  private func picture(
    _ order: PictureOrder, of scene: Scene, in room: RoomID, _ state: RoomState
  ) -> JSONValue {
    let name = PictureName(
      room: room, scene: scene.id, revision: state.revision, width: order.width, height: order.height,
      format: order.format
    ).text(signedWith: keys.signer.secret)
    return .object([
      ("url", .string("/v5/rooms/\(room)/pictures/\(name)")), ("key", .string(name)),
      ("bucket", .string("pictures")), ("region", .string("local")), ("path", .string(scene.path)),
      ("format", .string(order.format.rawValue)),
      ("revision", .number(String(state.revision.rawValue))),
    ])
  }

  private func showPicture(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    guard let text = call.context.parameters.get("name"),
      let name = PictureName(text, in: room, keys: keys)
    else { throw Self.noPicture }
    let history = history
    let bytes: [UInt8]
    do {
      bytes = try await pictures.picture(name) {
        let state = try await history.state(of: room, at: name.revision)
        guard state.revision == name.revision, state.scene(name.scene) != nil,
          let svg = name.svg(of: state)
        else { throw Self.noPicture }
        return svg
      }
    } catch let error as PictureError {
      throw RestError(error)
    }
    return .kept(bytes, type: name.format == .png ? "image/png" : "image/svg+xml")
  }

  private static let noPicture = RestError(
    .notFound, "There is no such picture.", cure: "Ask for its address with POST …/screenshots.")
}

/// The fields of a request for pictures.
private struct PictureOrder {
  var path: String
  var width: Int
  var height: Int
  var format: PictureName.Format

  init(_ body: RestBody, usualPath: String, formats: [PictureName.Format]) throws(RestError) {
    path = try body.text("path", bytes: 1_024) ?? usualPath
    try RestRoutes.checkPath(path, "path")
    width = try Self.size("width", body)
    height = try Self.size("height", body)
    format = try Self.format(body, formats)
  }

  private static func size(_ name: String, _ body: RestBody) throws(RestError) -> Int {
    guard let size = try body.count(name, upTo: RestRoutes.largestPicture), size > 0 else {
      throw RestBody.wrong(name, "is not a whole number from 1 to \(RestRoutes.largestPicture)")
    }
    return size
  }

  private static func format(
    _ body: RestBody, _ formats: [PictureName.Format]
  ) throws(RestError) -> PictureName.Format {
    guard let text = try body.text("format", bytes: 16) else { return formats[0] }
    guard let format = PictureName.Format(rawValue: text) else {
      throw RestBody.wrong("format", "is neither png nor svg")
    }
    guard formats.contains(format) else { throw RestError(PictureError.noRenderer) }
    return format
  }
}

extension RestError {
  fileprivate init(_ error: PictureError) {
    switch error {
    case .noRenderer:
      self.init(
        Refusal(
          .badParameter, cause: "This server has no rsvg-convert, so its pictures are SVG.",
          cure: "Ask for svg, or let the operator install librsvg2-bin."), name: "noRenderer")
    case .busy(let waiting):
      self.init(
        Refusal(.rateLimited, cause: "Many pictures are being drawn.", actual: waiting + 1, allowed: waiting))
    case .failed:
      self.init(
        Refusal(.internalFailure, cause: "The picture could not be drawn as PNG.", cure: "Ask for svg."))
    }
  }
}
