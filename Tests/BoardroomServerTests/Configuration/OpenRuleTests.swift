import BoardroomModel
import Testing

@testable import BoardroomAccess
@testable import BoardroomServer

@Suite struct OpenRuleTests {
  private static func rule(_ change: (inout ServerSettings) -> Void = { _ in }) -> OpenRule {
    var settings = ServerSettings()
    change(&settings)
    return OpenRule(settings)
  }

  static let hosts: [(host: String, isOwn: Bool)] = [
    ("localhost", true), ("localhost:8080", true), ("LocalHost:1", true), ("localhost.", true),
    ("board.localhost:8080", true), ("127.0.0.1", true), ("127.0.0.1:8080", true), ("127.9.8.7:80", true),
    ("[::1]", true), ("[::1]:8080", true), ("[::ffff:127.0.0.1]:80", true),
    ("board.lan:8080", true), ("192.0.2.7", true), ("[fd00::7]:80", true),
    ("evil.example", false), ("evil.example:8080", false), ("localhost.evil.example", false),
    ("127.0.0.1.evil.example", false), ("127.0.0.1.nip.io:8080", false), ("evil-localhost", false),
    ("notlocalhost", false), ("0.0.0.0:8080", false), ("192.0.2.1", false), ("[::]:80", false),
    ("[fe80::1]", false),
    ("127.1", false), ("2130706433", false), ("0x7f.0.0.1", false), ("", false), (":8080", false),
    ("[::1", false), ("::1", false), ("localhost@evil.example", false), ("evil.example#localhost", false),
    ("board.lan.evil.example", false), ("xboard.lan", false),
  ]

  @Test(
    "OPEN-1: an open server answers under this machine's names and those of open.hosts, with any port, and no other",
    arguments: hosts.indices)
  func names(row: Int) throws {
    let rule = Self.rule { $0.openHosts = HostList("Board.lan, 192.0.2.7,fd00::7") ?? HostList() }
    let (host, isOwn) = Self.hosts[row]
    let refusal = rule.refusal(hosts: [host], origins: [])
    #expect((refusal == nil) == isOwn, "\(host)")
    if let refusal {
      #expect(refusal.code == .forbidden)
      #expect(refusal.cure.contains("open.hosts"))
    }
  }

  @Test("OPEN-1: one Host, no more and no less")
  func oneHost() {
    #expect(Self.rule().refusal(hosts: [], origins: [])?.code == .forbidden)
    #expect(Self.rule().refusal(hosts: ["localhost", "localhost"], origins: [])?.code == .forbidden)
    #expect(Self.rule().refusal(hosts: ["localhost", "evil.example"], origins: [])?.code == .forbidden)
  }

  static let origins: [(host: String, origins: [String], isOwn: Bool)] = [
    ("localhost:8080", [], true), ("localhost:8080", ["http://localhost:8080"], true),
    ("LOCALHOST:8080", ["https://localhost:8080"], true), ("[::1]:80", ["http://[::1]:80"], true),
    ("localhost:8080", ["http://127.0.0.1:8080"], false),
    ("localhost:8080", ["http://localhost:8081"], false),
    ("localhost:8080", ["http://localhost"], false), ("localhost:8080", ["null"], false),
    ("localhost:8080", [""], false), ("localhost:8080", ["http://evil.example"], false),
    ("localhost:8080", ["http://localhost:8080.evil.example"], false),
    ("localhost:8080", ["http://evil.example/http://localhost:8080"], false),
    ("localhost:8080", ["ftp://localhost:8080"], false),
    ("localhost:8080", ["http://localhost:8080", "http://evil.example"], false),
    ("localhost:8080", ["https://site.example"], true), ("localhost:8080", ["https://room.example"], true),
  ]

  @Test(
    "OPEN-1: a page is the server's own, or one that cors.origins or origins names; * names none",
    arguments: origins.indices)
  func pages(row: Int) {
    let (host, origins, isOwn) = Self.origins[row]
    let rule = Self.rule {
      $0.corsOrigins = .listed(["https://site.example"])
      $0.origins = .listed(["https://room.example"])
    }
    #expect((rule.refusal(hosts: [host], origins: origins) == nil) == isOwn, "\(origins)")
    let any = Self.rule { ($0.corsOrigins, $0.origins) = (.any, .any) }
    #expect(any.refusal(hosts: ["localhost"], origins: ["http://evil.example"])?.code == .forbidden)
  }

  @Test("OPEN-2: open.hosts takes names and addresses, and nothing else")
  func lists() {
    #expect(HostList("none") == HostList())
    #expect(HostList().text == "none")
    #expect(HostList("A.b, 10.0.0.7")?.text == "a.b,10.0.0.7")
    for wrong in ["", "a,,b", "*", "http://a", "a b", "a/b"] { #expect(HostList(wrong) == nil, "\(wrong)") }
  }
}
