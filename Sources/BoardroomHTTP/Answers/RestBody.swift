import BoardroomCodec
import BoardroomModel
import Hummingbird

/// A request's JSON object, read field by field. An absent field and `null` are the same.
struct RestBody {
  /// 64 KiB: thirty times the longest room name.
  static let limit = 64 << 10
  /// The deepest nesting of JSON. 8: bodies of requests nest little.
  static let depth = 8

  private let root: JSONValue

  /// An empty body is an empty object.
  init(
    _ request: Request, limit: Int = RestBody.limit, depth: Int = RestBody.depth
  ) async throws(RestError) {
    let bytes = try await Self.bytes(of: request, limit: limit)
    try self.init(bytes, limits: JSONLimits(depth: depth, bytes: limit))
  }

  init(_ object: JSONValue) { root = object }

  /// Reads the whole body. A larger one is refused with 400, as every wrong request is (PARITY rows RE, RES).
  static func bytes(of request: Request, limit: Int) async throws(RestError) -> [UInt8] {
    let length = request.headers[.contentLength].flatMap(Int.init)
    do {
      var request = request
      return Array(try await request.collectBody(upTo: limit).readableBytesView)
    } catch {
      throw RestError(tooLarge(length, allowed: limit))
    }
  }

  /// - Parameter length: the length in the request's header; nil if there is none, so that reading ended at
  ///   the first byte beyond the limit.
  static func tooLarge(_ length: Int?, allowed: Int) -> Refusal {
    Refusal(
      .tooLarge, cause: "The body is larger than the limit.", actual: max(length ?? 0, allowed + 1),
      allowed: allowed,
      limit: "body")
  }

  init(_ bytes: [UInt8], limits: JSONLimits) throws(RestError) {
    guard !bytes.isEmpty else {
      root = .object([])
      return
    }
    do throws(JSONError) {
      root = try JSONValue.parse(bytes, limits: limits)
    } catch {
      throw RestError(CodecError.json(error).refusal)
    }
    guard root.object != nil else { throw RestError(.malformed, "The body is not a JSON object.") }
  }

  func value(_ name: String) -> JSONValue? { root[name].flatMap { $0.isNull ? nil : $0 } }

  func text(_ name: String, bytes limit: Int) throws(RestError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw Self.wrong(name, "is not a text") }
    guard text.utf8.count <= limit else {
      throw RestError(
        Refusal(
          .tooLarge, cause: "\(name) is longer than the limit.", actual: text.utf8.count, allowed: limit,
          limit: name))
    }
    return text
  }

  func needText(_ name: String, bytes limit: Int) throws(RestError) -> String {
    guard let text = try text(name, bytes: limit), !text.isEmpty else { throw Self.wrong(name, "is missing") }
    return text
  }

  func count(_ name: String, from least: Int = 0, upTo limit: Int) throws(RestError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let count = Self.whole(value), (least...limit).contains(count) else {
      throw Self.wrong(name, "is not a whole number from \(least) to \(limit)")
    }
    return count
  }

  /// The largest whole number that every JSON program reads exactly.
  static let largestNumber = (1 << 53) - 1

  /// What all larger numbers count as. No range up to `largestNumber` takes it; a field without a maximum does.
  static let beyond = largestNumber + 1

  /// A whole number in any form (`7`, `7.0`), from `-beyond` to `beyond`.
  static func whole(_ value: JSONValue) -> Int? {
    if let int = value.int { return min(max(int, -beyond), beyond) }
    guard let number = value.double, number == number.rounded(), number.isFinite else { return nil }
    return Int(min(max(number, Double(-beyond)), Double(beyond)))
  }

  func flag(_ name: String) throws(RestError) -> Bool? {
    guard let value = value(name) else { return nil }
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
