import Foundation
import Testing

private func canMakePackages() async -> Bool {
  let packager = FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg-shlibdeps")
  return packager ? await Tool.hasPython() : false
}

/// tools/release with a program that has nothing of Swift in it, in place of a release build of a quarter of an hour.
/// Tests/EndToEnd/packages-run-on-clean-debian tries the packages of a real one.
@Suite("tools/release", .enabled("needs python3 and dpkg-dev") { await canMakePackages() })
struct ReleaseTests {
  private static let parts = ["--program", "/bin/true", "--only", "tar", "deb", "sbom"]
  /// What tools/manual writes, each with a line; the program here has no commands.
  private static let pages = ["boardroom.1", "boardroom.bash", "_boardroom", "boardroom.fish"]

  private static func folder() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "release-\(UUID().uuidString)")
  }

  private static func manual() throws -> URL {
    let manual = folder()
    try FileManager.default.createDirectory(at: manual, withIntermediateDirectories: true)
    for page in pages {
      try "a page\n".write(to: manual.appending(path: page), atomically: true, encoding: .utf8)
    }
    return manual
  }

  @Test("tools/release makes the same bytes of the same program, and its checksums are those of the files")
  func sameBytes() async throws {
    let (manual, folders) = (try Self.manual(), [Self.folder(), Self.folder()])
    defer { for folder in folders + [manual] { try? FileManager.default.removeItem(at: folder) } }
    for folder in folders {
      let made = try await Tool.run(
        "release",
        Self.parts + ["--version", "1.2.3-dev", "--manual", manual.path, "--output", folder.path])
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.output.contains("\nTag: v1.2.3-dev\n"))
    }
    let sums = try folders.map { try String(contentsOf: $0.appending(path: "SHA256SUMS"), encoding: .utf8) }
    #expect(sums[0] == sums[1])
    let names = sums[0].split(separator: "\n").compactMap { $0.split(separator: " ").last }
    #expect(names.count == 3)
    for ending in [".tar.gz", ".deb", ".cdx.json"] {
      #expect(names.contains { $0.hasSuffix(ending) }, "no file ends with \(ending)")
    }
    let checked = try await Tool.execute(
      "/usr/bin/env", ["-C", folders[0].path, "sha256sum", "--check", "--strict", "SHA256SUMS"])
    #expect(checked.status == 0, "\(checked.errors)")
  }

  @Test("The Debian package has the service of docs/examples with its account, and all in it is root's")
  func debianPackage() async throws {
    let (manual, folder) = (try Self.manual(), Self.folder())
    defer { for folder in [manual, folder] { try? FileManager.default.removeItem(at: folder) } }
    let made = try await Tool.run(
      "release",
      [
        "--program", "/bin/true", "--only", "deb", "--version", "1.2.3-dev", "--manual", manual.path,
        "--output", folder.path, "--json",
      ])
    #expect(made.status == 0, "\(made.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let name = try #require(files.first { $0.hasPrefix("boardroom_1.2.3~dev-1_") })
    let package = folder.appending(path: name).path
    let root = folder.appending(path: "root")
    let listed = try await Tool.execute("/usr/bin/dpkg-deb", ["--contents", package])
    for line in listed.output.split(separator: "\n") {
      #expect(line.contains(" root/root "), "\(line)")
    }
    let unpacked = try await Tool.execute("/usr/bin/dpkg-deb", ["--raw-extract", package, root.path])
    #expect(unpacked.status == 0, "\(unpacked.errors)")
    let text = { (path: String) in try String(contentsOf: root.appending(path: path), encoding: .utf8) }
    let unit = try text("usr/lib/systemd/system/boardroom.service")
    #expect(unit.contains("\nUser=boardroom\nGroup=boardroom\n"))
    #expect(unit.contains("\nExecStart=/usr/bin/boardroom serve --config /etc/boardroom/boardroom.json "))
    #expect(!unit.contains("DynamicUser"))
    #expect(try text("DEBIAN/conffiles") == "/etc/boardroom/boardroom.json\n")
    #expect(try text("DEBIAN/control").contains("\nDepends: adduser, libc6"))
    for page in [
      "man/man1/boardroom.1.gz", "bash-completion/completions/boardroom", "zsh/vendor-completions/_boardroom",
      "fish/vendor_completions.d/boardroom.fish",
    ] {
      let path = root.appending(path: "usr/share/\(page)").path
      #expect(FileManager.default.fileExists(atPath: path), "\(page)")
    }
    for script in ["preinst", "postinst", "prerm", "postrm"] {
      let path = root.appending(path: "DEBIAN/\(script)").path
      #expect(FileManager.default.isExecutableFile(atPath: path))
    }
  }

  @Test("tools/release says what is wrong: no version, another tag, libraries of Swift, no program")
  func refusals() async throws {
    let folder = Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = ["--output", folder.path]
    let itself = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    let cases: [(arguments: [String], status: Int32, words: String)] = [
      (["--program", "/bin/true"], 1, "--version says no version of the form 1.2.3"),
      (["--program", "/bin/true", "--version", "soon"], 64, "soon is no version of the form 1.2.3"),
      (Self.parts + ["--version", "1.2.3", "--tag", "v1.2.4"], 1, "The tag has to be v1.2.3."),
      (Self.parts + ["--version", "1.2.3", "--tag", "v1.2.3"], 1, "CHANGELOG.md has no section 1.2.3."),
      (["--program", itself, "--version", "1.2.3"], 1, "which is where Swift is installed only"),
      (["--program", folder.path, "--version", "1.2.3"], 66, "is not there"),
      (["--programme"], 64, "tools/release --help"),
    ]
    for (arguments, status, words) in cases {
      let refused = try await Tool.run("release", arguments + output)
      #expect(refused.status == status, "\(arguments): \(refused.errors)")
      #expect(refused.errors.contains(words), "\(arguments): \(refused.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }
}
