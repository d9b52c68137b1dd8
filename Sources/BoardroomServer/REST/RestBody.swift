import BoardroomCodec
import BoardroomModel
import Hummingbird

/// A request's JSON object, read field by field. An absent field and `null` are the same.
struct RestBody {
  /// 64 KiB: thirty times the longest room name.
  static let limit = 64 << 10
  /// 8: nothing here nests.
  private static let depth = 8

  private let root: JSONValue

  /// An empty body is an empty object.
  init(_ request: Request) async throws(RestError) {
    let bytes: [UInt8]
    do {
      var request = request
      bytes = Array(try await request.collectBody(upTo: Self.limit).readableBytesView)
    } catch {
      throw RestError(Refusal(.tooLarge, cause: "The body is larger than the limit.", allowed: Self.limit))
    }
    try self.init(bytes)
  }

  init(_ bytes: [UInt8]) throws(RestError) {
    guard !bytes.isEmpty else {
      root = .object([])
      return
    }
    do throws(JSONError) {
      root = try JSONValue.parse(bytes, limits: JSONLimits(depth: Self.depth, bytes: Self.limit))
    } catch {
      throw RestError(CodecError.json(error).refusal)
    }
    guard root.object != nil else { throw RestError(.malformed, "The body is not a JSON object.") }
  }

  private func field(_ name: String) -> JSONValue? { root[name].flatMap { $0.isNull ? nil : $0 } }

  func text(_ name: String, bytes limit: Int) throws(RestError) -> String? {
    guard let value = field(name) else { return nil }
    guard let text = value.string else { throw Self.wrong(name, "is not a text") }
    guard text.utf8.count <= limit else {
      throw RestError(
        Refusal(
          .tooLarge, cause: "\(name) is longer than the limit.", actual: text.utf8.count, allowed: limit))
    }
    return text
  }

  func needText(_ name: String, bytes limit: Int) throws(RestError) -> String {
    guard let text = try text(name, bytes: limit), !text.isEmpty else { throw Self.wrong(name, "is missing") }
    return text
  }

  func count(_ name: String, upTo limit: Int) throws(RestError) -> Int? {
    guard let value = field(name) else { return nil }
    guard let count = value.int, (0...limit).contains(count) else {
      throw Self.wrong(name, "is not a whole number from 0 to \(limit)")
    }
    return count
  }

  func flag(_ name: String) throws(RestError) -> Bool? {
    guard let value = field(name) else { return nil }
    guard let flag = value.bool else { throw Self.wrong(name, "is neither true nor false") }
    return flag
  }

  /// `admin`, `writer` or `reader`.
  func role(_ name: String) throws(RestError) -> Role {
    let text = try needText(name, bytes: 16)
    guard let role = Role(rawValue: text) else { throw Self.wrong(name, "is none of admin, writer, reader") }
    return role
  }

  static func wrong(_ field: String, _ reason: String) -> RestError {
    RestError(.badParameter, "\(field) \(reason).")
  }
}
