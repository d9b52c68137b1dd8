import BoardroomAccess
import Foundation
import HTTPTypes
import Hummingbird
import NIOPosix

/// Where the files of the page come from, and the headers that they are sent with (ADR 0024).
package struct PageResponder: Sendable {
  package enum Source: Sendable, Hashable {
    /// No page: the setting `page.shown` is off.
    case off
    /// What the program carries.
    case builtIn
    /// A folder that is read at every request: `page.root`, for development.
    case folder(String)
  }

  private let source: Source
  private let headers: HTTPFields

  package init(_ source: Source, frames: OriginRule) {
    self.source = source
    headers = [
      .contentSecurityPolicy: Self.policy(frames: frames), .xContentTypeOptions: "nosniff",
      // A link to elsewhere does not tell which room it was in.
      .referrerPolicy: "no-referrer",
      // Asked for again each time and mostly answered with 304: a page never meets files of another version.
      .cacheControl: "no-cache",
    ]
  }

  /// Nothing but the server's own scripts, styles and sockets; images also from elsewhere, since a member may put
  /// one onto the board by its address. Workers have the policy of their own answer, so all files carry it.
  static func policy(frames: OriginRule) -> String {
    let ancestors =
      switch frames {
      case .none: "'self'"
      case .any: "*"
      case .listed(let origins): (["'self'"] + origins).joined(separator: " ")
      }
    return "default-src 'self'; img-src 'self' data: blob: https: http:; connect-src 'self'; "
      + "worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors \(ancestors)"
  }

  /// An HTML file; nil: the page is off.
  package func document(
    _ path: String, for request: Request, status: HTTPResponse.Status = .ok
  ) async throws -> Response? {
    guard let file = try await file(path) else { return nil }
    return answer(file, to: request, status: status)
  }

  /// A script, a style sheet, or the pieces of HTML in `index.html`. Pages of other origins may load them, too: they
  /// hold nothing that is not public, and `embed.js` is there for it.
  package func asset(_ path: some StringProtocol, for request: Request) async throws -> Response? {
    guard ServedFile.isPlain(path), let file = try await file(String(path)) else { return nil }
    var response = answer(file, to: request, status: .ok)
    // Always, and not only to who asks from elsewhere: what a cache keeps is for everyone.
    response.headers[.accessControlAllowOrigin] = "*"
    response.headers[.resourcePolicy] = "cross-origin"
    return response
  }

  private func answer(_ file: ServedFile, to request: Request, status: HTTPResponse.Status) -> Response {
    var headers = headers
    headers[.eTag] = file.tag
    headers[.vary] = "Accept-Encoding"
    if status == .ok, request.knows(file.tag) { return Response(status: .notModified, headers: headers) }
    headers[.contentType] = file.type
    var bytes = file.bytes
    if request.takesGzip, packs, let packed = file.packed {
      bytes = packed
      headers[.contentEncoding] = "gzip"
    }
    headers[.contentLength] = String(bytes.readableBytes)
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: bytes))
  }

  /// Files of a folder are others the next time.
  private var packs: Bool { source == .builtIn }

  private static let builtIn = Dictionary(
    uniqueKeysWithValues: BuiltInFile.all.compactMap { file in
      ServedFile(file).map { (file.path.description, $0) }
    })

  private func file(_ path: String) async throws -> ServedFile? {
    switch source {
    case .off: return nil
    case .builtIn: return Self.builtIn[path]
    case .folder(let root):
      // A folder with the name of a file, and what else cannot be read, is no file of the page.
      let bytes = try await NIOThreadPool.singleton.runIfActive {
        FileManager.default.contents(atPath: root + "/" + path)
      }
      return bytes.flatMap { ServedFile(path: path, bytes: Array($0)) }
    }
  }
}

extension Request {
  /// Whether `If-None-Match` names this tag, which is compared weakly (RFC 9110, 13.1.2).
  package func knows(_ tag: String) -> Bool {
    let own = Self.opaque(tag[...])
    return headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",").contains { part in
      let part = part.trimming { $0 == " " || $0 == "\t" }
      return part == "*" || Self.opaque(part) == own
    }
  }

  /// Whether `Accept-Encoding` names gzip, and not with a weight of nothing.
  var takesGzip: Bool {
    headers[values: .acceptEncoding].joined(separator: ",").lowercased().split(separator: ",").contains {
      part in
      let words = part.split(separator: ";").map { $0.trimming { $0 == " " || $0 == "\t" } }
      let refuses = words.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
      return words.first == "gzip" && !refuses
    }
  }

  private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
}

extension Substring {
  fileprivate func trimming(_ isBlank: (Character) -> Bool) -> Substring {
    let begun = drop(while: isBlank)
    return begun.prefix(begun.count - begun.reversed().prefix(while: isBlank).count)
  }
}

extension HTTPField.Name {
  /// Lets pages of other origins show what anyone who has the address may see.
  package static let resourcePolicy = HTTPField.Name("cross-origin-resource-policy")!
  static let referrerPolicy = HTTPField.Name("referrer-policy")!
}
