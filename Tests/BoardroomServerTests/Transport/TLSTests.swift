import EventLogModel
import Foundation
import Logging
import NIOSSL
import ServerTestKit
import StorageTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomServer

private final class Lines: Sendable {
  private let held = Mutex<[String]>([])
  var all: [String] { held.withLock { $0 } }
  var logger: Logger {
    Logger(label: "tls") { label in
      LogLines(label: label, level: .info, format: .text) { bytes in
        self.held.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
      }
    }
  }
}

/// A pair in a folder where a test may change it.
private struct Pair {
  let folder = TemporaryFolder()
  var files: TLSFiles { TLSFiles(certificate: folder.path + "/cert.pem", key: folder.path + "/key.pem") }

  init(_ certificates: Certificates) throws { try put(certificates) }

  func put(_ certificates: Certificates) throws {
    try put(certificates.certificate, as: files.certificate)
    try put(certificates.key, as: files.key)
  }

  func put(_ source: String, as path: String) throws {
    try Data(contentsOf: URL(fileURLWithPath: source)).write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}

private func secure(_ files: TLSFiles) -> ServerSettings {
  var settings = ServerSettings()
  settings.tlsCertificate = files.certificate
  settings.tlsKey = files.key
  return settings
}

@Suite(.timeLimit(.minutes(15))) struct TLSTests {
  @Test("With TLS on, the port answers HTTPS; a plain request is told to use TLS, with no redirect")
  func oneOfBoth() async throws {
    try await RunningServer.with(secure(Certificates.server.files)) { server in
      let answer = try await SecurePeer(port: server.port, trusting: .server).ask(SecurePeer.health)
      #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
      #expect(answer.hasSuffix("ok\n"), "\(answer)")
      for request in [SecurePeer.health, "GET /v1/rooms HTTP/1.1\r\n\r\n", "\u{0}\u{1}"] {
        let socket = try #require(RawSocket(port: server.port))
        socket.send(request)
        let plain = await socket.receive(until: nil)
        #expect(plain.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(plain)")
        #expect(plain.contains("This port speaks TLS only."))
        #expect(plain.contains("wss://"))
        #expect(!plain.lowercased().contains("location:"))
      }
    }
  }

  @Test("TLS begins at 1.2: an older client is refused, 1.2 and 1.3 are not")
  func versions() async throws {
    try await RunningServer.with(secure(Certificates.server.files)) { server in
      for (version, isSpoken) in [(TLSVersion.tlsv11, false), (.tlsv12, true), (.tlsv13, true)] {
        let peer = try await SecurePeer(port: server.port, trusting: .server, atMost: version)
        let answer = try await peer.ask(SecurePeer.health)
        #expect(answer.isEmpty == !isSpoken, "\(version): \(answer)")
      }
    }
  }

  @Test("A renewed certificate is for new connections; those that are open go on under the old one")
  func renewal() async throws {
    let (pair, lines) = (try Pair(.server), Lines())
    let identity = try TLSIdentity(pair.files, logger: lines.logger)
    try await RunningServer.with(identity: identity) { server in
      let old = try await SecurePeer(port: server.port, trusting: .server)
      #expect(try await old.ask(SecurePeer.kept, until: "ok\n").hasSuffix("ok\n"))
      try pair.put(.renewed)
      identity.reload()
      #expect(lines.all.contains { $0.contains("notice certificate reloaded") })
      let new = try await SecurePeer(port: server.port, trusting: .renewed)
      #expect(try await new.ask(SecurePeer.health).hasSuffix("ok\n"))
      let late = try await SecurePeer(port: server.port, trusting: .server)
      #expect(try await late.ask(SecurePeer.health).isEmpty, "the old certificate is still shown")
      let again = try await old.ask(SecurePeer.health)
      #expect(again.components(separatedBy: "HTTP/1.1 200 ").count == 3, "\(again)")
    }
  }

  @Test("A new pair that cannot be used leaves the old one in force, and the log says why")
  func badRenewals() throws {
    let table: [(change: (Pair) throws -> Void, says: String)] = [
      ({ try FileManager.default.removeItem(atPath: $0.files.key) }, "There is no file"),
      ({ try $0.put(Certificates.renewed.certificate, as: $0.files.certificate) }, "is not that of"),
      ({ try $0.put(#filePath, as: $0.files.certificate) }, "holds no certificate"),
      ({ try $0.put($0.files.certificate, as: $0.files.key) }, "holds no private key"),
    ]
    for (change, says) in table {
      let (pair, lines) = (try Pair(.server), Lines())
      let identity = try TLSIdentity(pair.files, logger: lines.logger)
      let before = identity.context
      try change(pair)
      identity.reload()
      #expect(identity.context === before)
      try #require(lines.all.count == 1)
      #expect(lines.all[0].contains("error certificate not reloaded"))
      #expect(lines.all.first?.contains(says) == true, "\(lines.all)")
      try pair.put(.renewed)
      identity.reload()
      #expect(identity.context !== before, "a good pair after a bad one is taken")
    }
  }

  @Test("Files that change are read within 10 s, once; files that do not change are left alone")
  func watched() throws {
    let (pair, lines, loop) = (try Pair(.server), Lines(), VirtualLoop(seed: 1))
    let identity = try TLSIdentity(pair.files, logger: lines.logger)
    identity.watch(on: loop)
    let start = loop.now
    func pass(to seconds: Int) { while loop.runNext(until: start + .seconds(seconds)) {} }
    pass(to: 30)
    #expect(lines.all.isEmpty)
    // The key comes a little later than the certificate, as most tools write them.
    try pair.put(Certificates.renewed.certificate, as: pair.files.certificate)
    pass(to: 35)
    #expect(lines.all.isEmpty)
    pass(to: 60)
    try #require(lines.all.count == 1)
    #expect(lines.all[0].contains("not reloaded"))
    try pair.put(Certificates.renewed.key, as: pair.files.key)
    pass(to: 90)
    try #require(lines.all.count == 2, "\(lines.all)")
    #expect(lines.all[1].contains("notice certificate reloaded"), "\(lines.all)")
  }

  @Test("Files that cannot be used keep the server from starting, each with a sentence that cures")
  func badFiles() throws {
    let (server, other) = (Certificates.server, Certificates.renewed)
    let table: [(TLSFiles, TLSFilesError)] = [
      (TLSFiles(certificate: "/none.pem", key: server.key), .missing(path: "/none.pem")),
      (TLSFiles(certificate: server.certificate, key: "/none.pem"), .missing(path: "/none.pem")),
      (TLSFiles(certificate: server.key, key: server.key), .noCertificate(path: server.key)),
      (TLSFiles(certificate: "/tmp", key: server.key), .unreadable(path: "/tmp")),
      (
        TLSFiles(certificate: server.certificate, key: server.certificate),
        .noKey(path: server.certificate)
      ),
      (
        TLSFiles(certificate: server.certificate, key: other.key),
        .notPaired(TLSFiles(certificate: server.certificate, key: other.key))
      ),
    ]
    for (files, expected) in table {
      #expect(throws: expected) { try TLSIdentity(files, logger: Lines().logger) }
      #expect(expected.description.hasSuffix("."))
      #expect(expected.description.contains(". "))
    }
  }
}
