import Foundation
import PackagePlugin

/// Has the files of the page written into a Swift file of the target that serves them (ADR 0041).
@main
struct EmbedPage: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = target.directoryURL.appending(path: "Page", directoryHint: .isDirectory)
    let output = context.pluginWorkDirectoryURL.appending(path: "PageFiles.swift")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(
        atPath: folder.appending(path: path).path, isDirectory: &isFolder)
      return isThere && !isFolder.boolValue && isLoaded(path)
    }.sorted()
    return [
      .buildCommand(
        displayName: "Embedding the page in \(target.name)", executable: try context.tool(named: "embed").url,
        arguments: [output.path, folder.path] + paths,
        inputFiles: paths.map { folder.appending(path: $0) }, outputFiles: [output])
    ]
  }

  /// Whether browsers load a file: it is not hidden, and is no declaration that only the type checker reads.
  private func isLoaded(_ path: String) -> Bool {
    !path.split(separator: "/").contains { $0.hasPrefix(".") } && !path.hasSuffix(".d.ts")
  }
}
