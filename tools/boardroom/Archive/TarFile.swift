import Foundation

/// A tar file of POSIX ("ustar", IEEE Std 1003.1, pax), so that an archive can be opened without this
/// program. Each entry is one header of 512 bytes and the content, filled up to a multiple of 512; two empty
/// blocks end the file.
enum TarFile {
  static let blockBytes = 512

  struct TarEntry: Sendable, Hashable {
    var name: String
    /// Where the content begins, and its bytes.
    var offset: Int
    var size: Int
  }

  /// - Parameter name: at most 100 bytes.
  static func header(name: String, size: Int, seconds: Int) -> [UInt8] {
    precondition(name.utf8.count <= 100, "a long name needs a form that nothing here has")
    var header = [UInt8](repeating: 0, count: blockBytes)
    func put(_ text: String, at offset: Int) {
      header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    func octal(_ value: Int, _ digits: Int) -> String {
      let text = String(value, radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    put(name, at: 0)
    put(octal(0o600, 7), at: 100)
    put(octal(0, 7), at: 108)
    put(octal(0, 7), at: 116)
    put(octal(size, 11), at: 124)
    put(octal(seconds, 11), at: 136)
    put("        ", at: 148)
    put("0", at: 156)
    put("ustar", at: 257)
    put("00", at: 263)
    let sum = header.reduce(0) { $0 + Int($1) }
    put(octal(sum, 6) + "\0 ", at: 148)
    return header
  }

  static func padding(after size: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: (blockBytes - size % blockBytes) % blockBytes)
  }

  static let end = [UInt8](repeating: 0, count: 2 * blockBytes)

  /// Whether a file begins like a tar file. Pipes are not read, because their bytes could not be read again.
  static func isTar(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular,
      let file = FileHandle(forReadingAtPath: path)
    else { return false }
    defer { try? file.close() }
    let start = (try? file.read(upToCount: blockBytes)) ?? nil
    return start.map { $0.count == blockBytes && $0[257..<262] == Data("ustar".utf8) } ?? false
  }

  /// The entries. Throws `Failure` for anything that is not a whole tar file of plain files.
  static func entries(of path: String) throws -> [TarEntry] {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw Failure(.noInput, "There is no file \(path).", "Check its name and its folder.", at: path)
    }
    defer { try? file.close() }
    let length = Int(try file.seekToEnd())
    var (entries, offset): ([TarEntry], Int) = ([], 0)
    while true {
      try file.seek(toOffset: UInt64(offset))
      guard let header = try file.read(upToCount: blockBytes).map(Array.init), header.count == blockBytes
      else {
        throw Failure(.badInput, "\(path) ends too early.", "Make the archive again.", at: path)
      }
      if header.allSatisfy({ $0 == 0 }) { return entries }
      guard let entry = entry(header, at: offset), entry.offset + entry.size <= length else {
        throw Failure(.badInput, "\(path) is damaged at byte \(offset), or no archive of a room.", at: path)
      }
      entries.append(entry)
      offset = entry.offset + entry.size + padding(after: entry.size).count
    }
  }

  private static func entry(_ header: [UInt8], at offset: Int) -> TarEntry? {
    func text(_ range: Range<Int>) -> String {
      String(decoding: header[range].prefix { $0 != 0 }, as: UTF8.self)
    }
    guard header[257..<262] == Array("ustar".utf8)[...], header[156] == UInt8(ascii: "0"),
      let size = Int(text(124..<135), radix: 8), size >= 0,
      let sum = Int(text(148..<154), radix: 8)
    else { return nil }
    let counted = header.enumerated().reduce(0) {
      $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element))
    }
    guard sum == counted else { return nil }
    return TarEntry(name: text(0..<100), offset: offset + blockBytes, size: size)
  }
}
