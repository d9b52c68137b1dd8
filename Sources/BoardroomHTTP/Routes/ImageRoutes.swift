import BoardroomAccess
import BoardroomCodec
import BoardroomModel
import BoardroomWeb
import EventLogModel
import HTTPTypes
import Hummingbird
import Logging

/// Images that boards show.
extension RestRoutes {
  static let imageRoutes: [Route] = [
    Route(
      method: .post, path: "/v5/rooms/{uuid}/images",
      summary: "Store an image for the board: the body is the file, PNG, JPEG, WebP or GIF.",
      action: .putImage,
      body: Route.RequestBody(
        types: ["image/png", "image/jpeg", "image/webp", "image/gif"],
        schema: #"{"type":"string","contentMediaType":"application/octet-stream"}"#),
      answer: .one("Image", "Where it is; the same bytes always have the same address.", status: 201),
      refusals: [503]
    ) { try await $0.putImage($1) },
    Route(
      method: .get, path: "/v5/rooms/{uuid}/images/{name}",
      summary: "Show an image. Its address is its permission: no token is asked for.",
      answer: Route.ResponseBody(meaning: "The file.", types: ImageKind.allCases.map(\.mediaType)),
      isOfAnyNode: true
    ) { try await $0.showImage($1) },
  ]

  private func putImage(_ call: RestCall) async throws -> Response {
    if let reason = health.notReady { throw Self.unready(reason) }
    let room = try call.room()
    _ = try await registry.entry(room)
    let bytes = try await RestBody.bytes(of: call.request, limit: largestImage)
    guard let kind = ImageKind(bytes) else {
      throw RestError(
        Refusal(
          .badParameter, cause: "The body is not the file of a PNG, JPEG, WebP or GIF image.",
          cure: "Send the file as the body; turn SVG into one of these first."), name: "badImage")
    }
    let name: ImageName
    do {
      name = try await images.put(bytes, kind: kind, in: room)
    } catch let failure as ImageFailure {
      throw RestError(failure)
    }
    return .json(
      .object([
        ("url", .string("/v5/rooms/\(room)/images/\(name)")), ("key", .string(name.description)),
        ("type", .string(kind.mediaType)), ("bytes", JSONValue(bytes.count)),
      ]), status: .created)
  }

  private func showImage(_ call: RestCall) async throws -> Response {
    let room = try call.room()
    do {
      guard let name = call.context.parameters.get("name").flatMap({ ImageName($0) }),
        let bytes = try await images.image(name, in: room)
      else {
        throw RestError(.notFound, "There is no such image.", cure: "Take its address from POST …/images.")
      }
      return .kept(bytes, type: name.kind.mediaType)
    } catch let failure as ImageFailure {
      if case .damaged(let name) = failure {
        damagedImage()
        call.context.logger.error(
          "an image is damaged", metadata: ["room": "\(room)", "image": "\(name)"])
      }
      throw RestError(failure)
    }
  }
}

extension RestError {
  init(_ failure: ImageFailure) {
    switch failure {
    case .full(let actual, let allowed, let limit):
      let code = limit == "images" ? RefusalCode.tooMany : .tooLarge
      self.init(
        Refusal(
          code, cause: "The room's images are over the limit.", actual: actual, allowed: allowed, limit: limit
        ))
    case .io(_, let code):
      self.init(
        ImageFailure.isFull(code)
          ? Refusal(.logFull, cause: "There is no space for images.") : Refusal(.internalFailure))
    case .damaged:
      self.init(
        Refusal(
          .internalFailure, cause: "The image is damaged: its bytes are not those of its name.",
          cure: "Put the same image again, or bring its file back from a backup."), name: "imageDamaged")
    case .unavailable:
      self.init(
        Refusal(.logFull, cause: "The database does not answer, or has no space.", cure: "Try again."))
    }
  }
}

extension Response {
  /// The answer with a file that never changes under its address. Its headers keep a browser from guessing
  /// another type and from running anything in it.
  static func kept(_ bytes: [UInt8], type: String) -> Response {
    var response = text(bytes, type: type)
    response.headers[.cacheControl] = "public, max-age=31536000, immutable"
    response.headers[.contentTypeOptions] = "nosniff"
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; sandbox"
    response.headers[.resourcePolicy] = "cross-origin"
    return response
  }
}

extension HTTPField.Name {
  static let contentTypeOptions = HTTPField.Name("x-content-type-options")!
}
