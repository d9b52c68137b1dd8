import Foundation
import Testing

/// Where a closure could go from the loop of one host to that of another.
private enum HostCrossings {
  /// Delivers values between the loops of spaces.
  static let router = "Spaces/SpaceRouter.swift"
  /// Brings what comes from outside of all hosts: transports, REST, the clock.
  static let engine = "Engine/RoomServerEngine.swift"

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
    ("Behaviours/LoginQuestions.swift", "    other.loop.execute { other.value.leave() }", true),
    ("Engine/LoopRooms.swift", "    reach.loopRooms(for: log)?.run { $0.record(part) }", true),
    ("Rooms/SpaceHost.swift", "  let neighbours: SpaceRouter", true),
    ("Behaviours/ReceivedCalls.swift", "  let home: LoopRoomsAddress", true),
    (
      "Behaviours/ReceivedCalls.swift", "    home.loop.execute(after: .seconds(1)) { home.value.ring() }",
      true
    ),
    ("Behaviours/ReceivedCalls.swift", "    loop.execute { me.value.ring() }", false),
    ("Behaviours/ReceivedCalls.swift", "    if let run = piece.run(of: id) {", false),
    ("Behaviours/ReceivedCalls.swift", "    /// Not `home.loop.execute { }`.", false),
    (HostCrossings.router, "    exchange.loop.execute {", false),
  ])
func crossingsAreFound(_ path: String, _ line: String, _ isFault: Bool) {
  #expect(HostCrossings.faults(in: [path: line]).isEmpty != isFault)
}

/// Where a host would do one thing in an account and another one in a channel.
private enum SpaceBranches {
  static func faults(in text: String) -> [String] {
    text.components(separatedBy: "\n").filter { line in
      let code = line.range(of: "//").map { String(line[..<$0.lowerBound]) } ?? line
      return !code.matches(
        #"case \.(?:account|channel)\b|\.space [!=]= nil|Account\w*Behaviour|Channel\w*Behaviour"#
      )
      .isEmpty
    }
  }
}

@Test("A space's host does not ask whether it is an account or a channel: that is its behaviour's (ADR 0021)")
func hostsHaveNoBranchOnTheirSpace() {
  let files = Repository.files(under: ["Sources/BoardroomHosting/Rooms"], ending: ".swift")
  #expect(files.count > 20)
  for file in files {
    #expect(SpaceBranches.faults(in: Repository.text(file) ?? "") == [], "\(file)")
  }
}

@Test(
  "A branch on what a space is, is found",
  arguments: [
    ("    if case .channel = room.state.space?.name { true } else { false }", true),
    ("    guard room.state.space != nil else { return }", true),
    ("  var account: AccountBehaviour?", true),
    ("    case .account(let name): name", true),
    ("    behaviour?.tick(at: now)  // not case .account", false),
  ])
func branchesOnSpacesAreFound(_ line: String, _ isFault: Bool) {
  #expect(SpaceBranches.faults(in: line).isEmpty != isFault)
}
