import ArgumentParser
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import StorageTestKit
import TestKit

/// The work that `tools/costs` counts the instructions of: strokes that one member draws and all members are sent, without
/// sockets, threads and disk. What is counted is reading, deciding, recording, committing to memory and handing out.
@main
struct Instructions: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Carries out operations in a simulated room, for a program that counts instructions.")

  @Option(help: "Members of the room, the writing one among them.")
  var members = 10

  @Option(help: "Segments of strokes that are drawn.")
  var operations = 1_000

  func validate() throws {
    guard (1...1_000).contains(members) else { throw ValidationError("--members is 1 to 1000.") }
    guard (0...100_000).contains(operations) else { throw ValidationError("--operations is 0 to 100000.") }
  }

  func run() throws {
    let server = SimulatedServer()
    let room = server.createRoom()
    let writer = server.join(room)
    let readers = (1..<members).map { _ in server.join(room) }
    // A segment of 11 points, as a pen of 240 Hz sends it some twenty times a second.
    let steps = PointSteps(
      x: Array(repeating: 5, count: 11), y: Array(repeating: -3, count: 11),
      time: Array(repeating: 4, count: 11), pressure: Array(repeating: 0, count: 11))
    let points = EncodedPoints(steps)
    let style = StrokeStyle(
      scene: 1, unit: -3, tool: .pencil, colour: Colour(red: 30, green: 90, blue: 200), width: 12)
    for operation in 0..<operations {
      let (stroke, place) = (UInt64(operation / 64 + 1), operation % 64)
      server.clock.advance(by: .milliseconds(50))
      writer.command(
        .drawing(
          .stroke(
            StrokeSegment(
              number: stroke, begin: place == 0 ? style : nil, ends: place == 63, points: points))))
      _ = writer.link.take()
      for reader in readers { _ = reader.link.take() }
    }
    let store = server.store
    let last = server.wait { (try? await store.info(of: room))?.last ?? .zero }
    guard writer.link.closeCode == nil, last.rawValue > UInt64(operations) else {
      print("The room has \(last) events: not all operations were carried out.")
      throw ExitCode.failure
    }
  }
}
