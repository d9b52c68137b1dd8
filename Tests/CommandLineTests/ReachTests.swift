import BoardroomClient
import BoardroomCodec
import BoardroomHosting
import Foundation
import NIOCore
import Synchronization
import TestKit
import Testing

/// A server that a command cannot reach, and how the command says it.
private struct Trouble: Sendable, CustomTestStringConvertible {
  var code: String
  /// The certificate of the server; nil: it speaks no TLS.
  var certificate: Certificates?
  var isTrusted = false
  /// The address, with `PORT` for the server's.
  var address: String
  /// Words of what is wrong, and of what helps.
  var says: String
  var helps: String
  var testDescription: String { code }

  static let all = [
    Trouble(
      code: "unknownAuthority", certificate: .server, address: "https://127.0.0.1:PORT",
      says: "not from an authority", helps: "--trust FILE"),
    Trouble(
      code: "certificateExpired", certificate: .expired, isTrusted: true, address: "https://localhost:PORT",
      says: "expired at 2021-01-01T00:00:00", helps: "clock"),
    Trouble(
      code: "wrongName", certificate: .elsewhere, isTrusted: true, address: "https://localhost:PORT",
      says: "for another name: elsewhere.example", helps: "--server"),
    Trouble(
      code: "needsTLS", certificate: .server, isTrusted: true, address: "http://127.0.0.1:PORT",
      says: "speaks TLS only", helps: "https://"),
    Trouble(
      code: "noTLS", address: "https://127.0.0.1:PORT", says: "does not speak TLS", helps: "http://"),
    Trouble(
      code: "connectionRefused", address: "http://127.0.0.1:1", says: "the connection was refused",
      helps: "boardroom serve"),
    Trouble(
      code: "nameNotFound", address: "https://no-such-name.invalid", says: "no-such-name.invalid",
      helps: "--server"),
  ]
}

/// One for each of the ways in which commands talk to a server.
private let commands = [
  ["room", "list"], ["watch", SampleLog.room], ["inspect"], ["follow", "copy", "--once"],
  ["signaling", "anna"],
]

@Suite("Command line: servers that cannot be reached", .serialized)
struct ReachTests {
  @Test(
    "CLI-4: a server that cannot be reached, or that proves nothing, is told by name, with what helps",
    arguments: Trouble.all)
  private func trouble(_ trouble: Trouble) async throws {
    let folder = try Folder()
    let server = LiveServer(in: folder, settings: Self.settings(trouble.certificate))
    if trouble.address.contains("PORT") { try await server.start() }
    let address = trouble.address.replacingOccurrences(of: "PORT", with: "\(server.port)")
    let trust = trouble.isTrusted ? trouble.certificate.map { ["--trust", $0.certificate] } ?? [] : []
    for command in commands {
      let all = command + ["--server", address, "--token", "x", "--json"] + trust
      let answer = try await Program.run(all, in: folder)
      #expect(answer.status == 69, "\(command): \(answer.errors)")
      let line = try #require(answer.errors.split(separator: "\n").last, "\(command)")
      let error = try JSONValue.parse(Array(line.utf8))
      #expect(error["code"]?.string == trouble.code, "\(command): \(line)")
      #expect(error["what"]?.string?.contains(trouble.says) == true, "\(command): \(line)")
      #expect(error["help"]?.string?.contains(trouble.helps) == true, "\(command): \(line)")
    }
  }

  @Test("CLI-6: of several servers each command uses one that answers")
  func several() async throws {
    let folder = try Folder()
    let server = LiveServer(in: folder)
    try await server.start()
    let words = ["--server", "http://127.0.0.1:1, \(server.url),http://[::1]:1"]
    let made = try await Program.run(["room", "create", "--quiet"] + words, in: folder)
    #expect(made.status == 0, "\(made.errors)")
    let room = try #require(made.lines.first)
    for command in [["watch", room, "--until-idle", "0.2"], ["inspect", room], ["room", "show", room]] {
      let answer = try await Program.run(command + words, in: folder)
      #expect(answer.status == 0, "\(command): \(answer.errors)")
    }
  }

  @Test("CLI-6: all servers are asked at once: one that says nothing keeps no other waiting")
  func silent() async throws {
    let folder = try Folder()
    let happened = Mutex<[String]>([])
    let silent = try await BarePort(left: { happened.withLock { $0.append("the silent one was given up") } })
    let other = try await BarePort(asked: { channel in
      happened.withLock { $0.append("the other one was asked") }
      BarePort.answer(channel)
    })
    let servers = "http://127.0.0.1:\(silent.port),http://127.0.0.1:\(other.port)"
    let answer = try await Program.run(["room", "list", "--server", servers, "--token", "x"], in: folder)
    #expect(happened.withLock { $0.first } == "the other one was asked", "\(answer.errors)")
    try await silent.end()
    try await other.end()
  }

  @Test("CLI-6: a server for whose answer nobody waits any more is left at once")
  func left() async throws {
    let asked = Ended<any Channel>()
    let port = try await BarePort(asked: { asked.end(with: $0) })
    let probe = ServerProbe(Endpoint(host: "127.0.0.1", port: port.port, isSecure: false), trust: nil)
    let asking = Task { await probe.trouble(at: .wallClock) }
    let channel = await asked.value()
    asking.cancel()
    // It comes after that, and before the client's patience ends: whoever still waits takes it for a server without trouble.
    channel.eventLoop.scheduleTask(in: .seconds(1)) { BarePort.answer(channel) }
    #expect(await asking.value == .noAnswer)
    try await port.end()
  }

  @Test("CLI-4: with --trust a server's own certificate counts, for commands over HTTP, too")
  func trusted() async throws {
    let folder = try Folder()
    let server = LiveServer(in: folder, settings: Self.settings(.server))
    try await server.start()
    let words = ["--server", "https://localhost:\(server.port)", "--trust", Certificates.server.certificate]
    let made = try await Program.run(["room", "create", "--quiet"] + words, in: folder)
    #expect(made.status == 0, "\(made.errors)")
    let room = try #require(made.lines.first)
    for command in [["room", "show", room], ["inspect", room], ["watch", room, "--until-idle", "0.2"]] {
      let answer = try await Program.run(command + words, in: folder)
      #expect(answer.status == 0, "\(command): \(answer.errors)")
    }
  }

  private static func settings(_ certificate: Certificates?) -> [String] {
    guard let certificate else { return [] }
    return ["--set", "tls.certificate=\(certificate.certificate)", "--set", "tls.key=\(certificate.key)"]
  }

  #if os(Linux)
    @Test("CLI-5: the program needs no libcurl, and none of Foundation's networking")
    func libraries() throws {
      let program = try Data(contentsOf: Program.url, options: .mappedIfSafe)
      // Names of the libraries that are loaded at the start stand in the file as they are.
      #expect(program.range(of: Data("libswiftCore.so".utf8)) != nil)
      for library in ["libFoundationNetworking.so", "libFoundationXML.so", "libcurl", "libxml2"] {
        #expect(program.range(of: Data(library.utf8)) == nil, "\(library)")
      }
    }
  #endif
}
