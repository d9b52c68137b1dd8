import ArgumentParser
import BoardroomCodec

struct SampleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Make a sample drawing with a seeded pen.",
    discussion: """
      Prints a drawing for `boardroom perform`, one act a line, `at` in ms since the beginning:

        {"at":0,"stroke":{"tool":"pencil","colour":[30,30,30],"width":3,"x":[…],"y":[…],"t":[…],"p":[…]}}
        {"at":900,"rectangle":{"x":0,"y":0,"width":100,"height":50}}
        {"at":950,"text":{"x":0,"y":60,"text":"words","size":16}}
        {"at":990,"magix":{"event":"name","payload":{}}}
        {"at":999,"globalState":{"key":"value"}}

      x and y in pixels, t in ms since the pen went down, p (pressure, 0 to 1) may be absent.

      Example:
        boardroom sample hello --seed 7 > hello.ndjson
      """)

  @Argument(help: "One of: \(SampleDrawing.allCases.map(\.rawValue).joined(separator: ", ")).") var name:
    String
  @Option(help: "The same seed gives the same drawing.") var seed: UInt64 = 7
  @Flag(help: "Machine-readable output: it always is.") var json = false

  func run() async throws {
    try await answering {
      guard let sample = SampleDrawing(rawValue: name) else {
        let all = SampleDrawing.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(.noInput, "There is no sample \(name).", "There are: \(all).")
      }
      for act in sample.drawing(seed: seed).acts {
        Terminal.line(String(decoding: act.json.compact, as: UTF8.self), isJSON: true)
      }
    }
  }
}
