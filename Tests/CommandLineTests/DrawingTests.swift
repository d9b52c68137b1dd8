import Foundation
import Testing

@Suite("Command line: pictures and drawings of other programs")
struct DrawingTests {
  private let folder: Folder

  private static let drawing = """
    {"type":"excalidraw","version":2,"source":"test","files":{},"elements":[
    {"id":"a","type":"rectangle","x":0,"y":0,"width":80,"height":40,"angle":0,"strokeColor":"#e03131",
     "backgroundColor":"transparent","fillStyle":"solid","strokeWidth":2,"strokeStyle":"solid","roughness":1,
     "opacity":100,"seed":7,"isDeleted":false,"groupIds":["g"]},
    {"id":"b","type":"text","x":8,"y":8,"width":60,"height":20,"text":"hello","fontSize":16,"isDeleted":false},
    {"id":"c","type":"frame","x":0,"y":0,"width":90,"height":90,"isDeleted":false}]}
    """

  init() throws {
    folder = try Folder()
    try folder.write(Self.drawing, to: "plan.excalidraw")
  }

  private func run(_ arguments: String...) async throws -> Program.Answer {
    try await Program.run(arguments, in: folder)
  }

  private func imported() async throws -> String {
    let answer = try await run("import", "plan.excalidraw", "--format", "excalidraw", "--name", "The plan")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.errors.contains("1 frame: there is nothing like it here"))
    #expect(answer.errors.contains("2 elements kept, 1 not."))
    return try #require(answer.lines.first)
  }

  @Test("RP-69: a drawing becomes a room that replays, verifies and goes back as a drawing")
  func roundTrip() async throws {
    let room = try await imported()
    let moment = try await run("replay", room)
    #expect(moment.output.contains("The plan"))
    #expect(moment.output.contains("2: 0 strokes, 2 shapes"))
    #expect(try await run("verify", "--level", "deep", "--quiet").status == 0)
    let back = try await run(
      "export", room, "--format", "excalidraw", "--scene", "/init", "--output", "back.excalidraw", "--json")
    #expect(back.status == 0, "\(back.errors)")
    #expect(back.output.contains(#""kept":{"rectangle":1,"text":1}"#), "\(back.errors)")
    let file = try JSONSerialization.jsonObject(with: Data(try folder.bytes("back.excalidraw")))
    let elements = (file as? [String: Any])?["elements"] as? [[String: Any]]
    #expect(elements?.compactMap { $0["id"] as? String } == ["a", "b"])
    #expect(elements?.first?["roughness"] as? Int == 1)
    #expect(elements?.first?["groupIds"] as? [String] == ["g"])
    let empty = try await run("export", room, "--format", "excalidraw", "--to", "2")
    #expect(empty.status == 0)
    #expect(empty.output.contains(#""elements":[]"#))
  }

  @Test("The report is told as JSON too; a file that is no drawing is refused")
  func reports() async throws {
    let answer = try await run("import", "plan.excalidraw", "--format", "excalidraw", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
    let report = object?["report"] as? [String: Any]
    #expect((report?["kept"] as? [String: Int])?["rectangle"] == 1)
    #expect(
      (report?["losses"] as? [[String: Any]])?.contains { $0["extent"] as? String == "not kept" } == true)
    try folder.write("no drawing", to: "text.excalidraw")
    let refused = try await run("import", "text.excalidraw", "--format", "excalidraw", "--data", "other")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("text.excalidraw, line 1"))
  }

  @Test("SC-15: pictures have the size asked for; a scene that is not there is named")
  func pictures() async throws {
    let room = try await imported()
    let small = try await run("replay", room, "--svg", "-", "--size", "64x48", "--scene", "/init")
    #expect(small.status == 0)
    #expect(small.output.contains("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"64\" height=\"48\""))
    let lost = try await run("replay", room, "--svg", "-", "--scene", "/no")
    #expect(lost.status == 66)
    #expect(lost.errors.contains("/init"))
  }

  @Test("A PNG is made where rsvg-convert is, and without it the cure is named")
  func pixels() async throws {
    let room = try await imported()
    let answer = try await run("replay", room, "--png", "board.png", "--size", "64x48")
    if ["/usr/bin", "/bin"].contains(where: {
      FileManager.default.isExecutableFile(atPath: $0 + "/rsvg-convert")
    }) {
      #expect(answer.status == 0, "\(answer.errors)")
      let bytes = try folder.bytes("board.png")
      #expect(bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]))
      #expect(Array(bytes[16..<24]) == [0, 0, 0, 64, 0, 0, 0, 48])
    } else {
      #expect(answer.status == 69)
      #expect(answer.errors.contains("librsvg2-bin"))
    }
  }
}
