import ArgumentParser
import BoardroomDrawing
import BoardroomModel
import BoardroomReplay
import BoardroomServer
import EventLogModel

extension PictureSize: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

/// Options for a picture of a scene instead of text.
struct PictureOptions: ParsableArguments {
  @Option(help: "Write a picture of a scene at --at to this file (- for standard output).")
  var svg: String?
  @Option(help: "The same as PNG; needs rsvg-convert.")
  var png: String?
  @Option(help: "The scene's path for the picture; without it the current one.")
  var scene: String?
  @Option(
    help: ArgumentHelp(
      "Fit all of the scene into a picture of this size; without it the picture is as large as what is drawn.",
      valueName: "WIDTHxHEIGHT"))
  var size: PictureSize?

  var isWanted: Bool { svg != nil || png != nil }

  func validate() throws {
    guard !isWanted, scene != nil || size != nil else { return }
    throw ValidationError("--scene and --size belong to --svg or --png.")
  }

  func draw(_ moment: Moment) async throws {
    let scene = try Self.scene(scene, of: moment)
    let picture = Array(
      (size.map { SceneSVG.picture(of: moment.state, scene: scene, size: $0) }
        ?? SceneSVG.picture(of: moment.state, scene: scene)).utf8)
    if let svg { try OutputFile(svg, as: .markup).write(picture) }
    if let png { try OutputFile(png, as: .binary).write(try await Self.png(of: picture)) }
  }

  private static func png(of svg: [UInt8]) async throws -> [UInt8] {
    // A minute, because a person waits for it and can interrupt it.
    guard let renderer = RsvgConvert(limit: .seconds(60)) else {
      throw Failure(
        .unavailable,
        "There is no rsvg-convert on the PATH.",
        "Install librsvg2-bin (Debian) or librsvg (Homebrew), or write --svg."
      )
    }
    do { return try await renderer.png(of: svg) } catch {
      throw Failure(.io, "rsvg-convert could not draw the picture.", "Write --svg instead.")
    }
  }

  /// The scene with this path; nil means the current one.
  static func scene(_ path: String?, of moment: Moment) throws -> SceneID {
    let state = moment.state
    guard let path else { return state.currentScene }
    guard let found = state.scene(path: path) else {
      let paths = Text.visible(state.scenes.map(\.path).joined(separator: ", "), limit: 400)
      throw Failure(
        .noInput, "There is no scene \(path) at revision \(moment.revision).", "There are: \(paths)", at: path
      )
    }
    return found.id
  }
}
