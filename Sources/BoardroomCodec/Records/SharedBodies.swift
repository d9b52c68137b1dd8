import BoardroomModel
import EventLogModel

// What the JSON payloads of several families hold.

extension JSONFields {
  func patch() throws(CodecError) -> JSONPatch {
    JSONPatch(
      raw: object.text, fields: object.members.map { ($0.key, $0.value.isNull ? nil : $0.value.text) })
  }

  /// A short text that we keep but do not look into.
  func label(_ key: String) throws(CodecError) -> String {
    let text = try string(key)
    guard text.utf8.count <= FieldRanges.label else {
      throw .tooLarge(what: key, actual: text.utf8.count, allowed: FieldRanges.label)
    }
    return text
  }

  func optionalCount(_ key: String) throws(CodecError) -> Int? { try has(key) ? count(key) : nil }

  func optionalScene(_ key: String) throws(CodecError) -> SceneID? {
    try has(key) ? scene(key) : nil
  }

  func ids(_ key: String) throws(CodecError) -> [ElementID] {
    var ids: [ElementID] = []
    for item in try array(key) {
      guard let id = item.string.flatMap({ ElementID($0) }) else {
        throw error(key, "must hold element ids, \"member.number\"")
      }
      ids.append(id)
    }
    return ids
  }
}
