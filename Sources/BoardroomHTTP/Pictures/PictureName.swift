import BoardroomAccess
import BoardroomDrawing
import BoardroomHosting
import BoardroomModel
import Crypto
import EventLogModel

/// What a picture shows, as the last part of its address:
///
///     3-r1207-1280x720-0123456789abcdef0123456789abcdef.png
///     scene, revision, width x height in pixels, and 128 bits of an HMAC over all that and the room
///
/// Everybody who has the address may see the picture. An address holds for one picture only. It needs no
/// token, so that a page can show it, and the server stores nothing for it. The same address always shows the
/// same picture.
struct PictureName: Sendable, Hashable {
  enum Format: String, Sendable, Hashable, CaseIterable { case svg, png }

  var room: RoomID
  var scene: SceneID
  var revision: Revision
  var width: Int
  var height: Int
  var format: Format

  /// The whole page, as large as fits; nil for a size that pictures cannot have.
  func svg(of state: RoomState) -> String? {
    PictureSize(width: width, height: height).map { SceneSVG.picture(of: state, scene: scene, size: $0) }
  }

  private var plain: String { "\(scene)-r\(revision.rawValue)-\(width)x\(height)" }

  func text(signedWith secret: String) -> String { "\(plain)-\(mac(secret)).\(format.rawValue)" }

  private func mac(_ secret: String) -> String {
    let text = "boardroom.picture.1\n\(room)\n\(plain).\(format.rawValue)"
    let mac = HMAC<SHA256>.authenticationCode(
      for: Array(text.utf8), using: SymmetricKey(data: Array(secret.utf8)))
    return TokenText.hex(mac.prefix(16))
  }

  /// Nil unless the text is a name that was signed with one of the ring's keys.
  init?(_ text: String, in room: RoomID, keys: KeyRing) {
    guard text.utf8.count < 128, let dot = text.lastIndex(of: "."),
      let format = Format(rawValue: String(text[text.index(after: dot)...]))
    else { return nil }
    let parts = text[..<dot].split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[1].hasPrefix("r"), let scene = SceneID(parts[0]),
      let revision = UInt64(parts[1].dropFirst())
    else { return nil }
    let sizes = parts[2].split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard sizes.count == 2 else { return nil }
    self.init(
      room: room, scene: scene, revision: Revision(revision), width: sizes[0], height: sizes[1],
      format: format)
    let given = Array(parts[3].utf8)
    guard plain == parts[..<3].joined(separator: "-"),
      keys.pairs.contains(where: { SecretBytes.areEqual(Array(mac($0.secret).utf8), given) })
    else { return nil }
  }

  init(room: RoomID, scene: SceneID, revision: Revision, width: Int, height: Int, format: Format) {
    self.room = room
    self.scene = scene
    self.revision = revision
    self.width = width
    self.height = height
    self.format = format
  }
}
