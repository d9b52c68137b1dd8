import Foundation
import Testing

/// Where a closure could go from the loop of one host to that of another.
private enum HostCrossings {
  /// Delivers values between the loops of spaces.
  static let router = "Spaces/SpaceRouter.swift"
  /// Brings what comes from outside of all hosts: transports, REST, the clock.
  static let engine = "Rooms/RoomServerEngine.swift"

  /// - Parameter files: texts by their paths inside of Sources/BoardroomHosting.
  static func faults(in files: [String: String]) -> [String] {
    files.sorted { $0.key < $1.key }.flatMap { path, text in
      text.components(separatedBy: "\n").enumerated().compactMap { number, line in
        let code = line.range(of: "//").map { String(line[..<$0.lowerBound]) } ?? line
        return fault(of: code, in: path).map { "\(path):\(number + 1): \($0)" }
      }
    }
  }

  private static func fault(of line: String, in path: String) -> String? {
    let isHosts = !["Connections/", "Delivery/"].contains { path.hasPrefix($0) }
    if isHosts, path != router, path != engine {
      for call in line.matches(#"([\w.?\[\]()]*)\.(?:run|(?:execute|yield)(?:\([^{]*\))?) ?\{"#)
      where call[0] != "loop" {
        return "runs a closure on \(call[0])"
      }
      if line.contains("LoopRoomsAddress") || line.contains("Confined<LoopRooms>") {
        return "knows the rooms of another loop"
      }
    }
    if line.contains("SpaceRouter"), ![router, engine, "Spaces/SpaceExchange.swift"].contains(path) {
      return "goes to the router past its exchange"
    }
    return nil
  }
}

@Test("ASKV-1: no closure goes from one host to another: what spaces ask each other are values")
func hostsAskInValues() {
  let folder = "Sources/BoardroomHosting/"
  let files = Repository.files(under: [String(folder.dropLast())], ending: ".swift")
    .map { (String($0.dropFirst(folder.count)), Repository.text($0) ?? "") }
  for one in [HostCrossings.router, HostCrossings.engine] { #expect(files.contains { $0.0 == one }) }
  #expect(HostCrossings.faults(in: Dictionary(uniqueKeysWithValues: files)) == [])
}

@Test(
  "A closure for another host is found, one for one's own loop is none",
  arguments: [
    ("Rooms/SpaceHost+Asking.swift", "    other.loop.execute { other.value.leave() }", true),
    ("Rooms/LoopRooms.swift", "    reach.loopRooms(for: log)?.run { $0.record(part) }", true),
    ("Rooms/SpaceHost.swift", "  let neighbours: SpaceRouter", true),
    ("Rooms/SpaceHost+Calls.swift", "  let home: LoopRoomsAddress", true),
    ("Rooms/SpaceHost+Calls.swift", "    home.loop.execute(after: .seconds(1)) { home.value.ring() }", true),
    ("Rooms/SpaceHost+Calls.swift", "    loop.execute { me.value.ring() }", false),
    ("Rooms/SpaceHost+Calls.swift", "    if let run = piece.run(of: id) {", false),
    ("Rooms/SpaceHost+Calls.swift", "    /// Not `home.loop.execute { }`.", false),
    (HostCrossings.router, "    exchange.loop.execute {", false),
  ])
func crossingsAreFound(_ path: String, _ line: String, _ isFault: Bool) {
  #expect(HostCrossings.faults(in: [path: line]).isEmpty != isFault)
}
