import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import ServerTestKit
import StorageTestKit
import Testing

@testable import BoardroomServer

@Suite("FILE-7: what a copy on another machine reads the store by")
struct StoreRouteTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

  private func names(_ server: RunningServer, _ query: String = "") async throws -> [String] {
    let answer = try await server.call("GET", "/v5/store/logs\(query)", token: server.admin)
    #expect(answer.status == 200, "\(answer.text)")
    return (answer.json?["logs"]?.array ?? []).compactMap { $0["log"]?.string }
  }

  @Test(
    "FILE-7: every log is listed page by page, deleted rooms, channels and the operators' log too, and can be read"
  )
  func logs() async throws {
    try await RunningServer.with { server in
      let (kept, gone) = (try await server.room(), try await server.room("{\"isRecord\":false}"))
      #expect(try await server.call("DELETE", "/v5/rooms/\(gone)", token: server.admin).status == 200)
      let lobby = SpaceName.channel(.signaling, "lobby").log
      _ = try await server.store.create(lobby, at: .zero)
      let ban = try await server.call(
        "POST", "/v5/bans", token: server.admin, body: "{\"uid\":\"eve\"}")
      #expect(ban.status == 201)
      let all = try await names(server)
      #expect(Set(all) == Set([kept, gone, lobby, .operators].map(\.description)))
      #expect(all == all.sorted())
      #expect(try await names(server, "?limit=1") == [all[0]])
      #expect(try await names(server, "?limit=2&after=\(all[1])") == Array(all[2...]))
      for log in [kept, gone, .operators] {
        let answer = try await server.call("GET", "/v5/store/logs/\(log)", token: server.admin)
        let last = try await server.store.info(of: log).last
        #expect(answer.json?["last"]?.int == Int(last.rawValue))
        #expect(last > 0)
        let runs = try await server.call("GET", "/v5/store/logs/\(log)/runs", token: server.admin)
        #expect(runs.status == 200)
        #expect(!runs.body.isEmpty)
      }
    }
  }

  @Test("FILE-7: names of nothing are refused, a snapshot that is not there is not found")
  func refused() async throws {
    try await RunningServer.with { server in
      let room = try await server.room()
      for (path, status) in [
        ("/v5/store/logs?after=x", 400), ("/v5/store/logs?limit=0", 400), ("/v5/store/logs/x", 400),
        ("/v5/store/logs/\(RoomID.random())", 404), ("/v5/store/logs/\(room)/snapshots/9", 404),
        ("/v5/store/images?limit=1001", 400), ("/v5/store/images?after=", 400),
        ("/v5/store/images?after=x/y", 400),
      ] {
        let answer = try await server.call("GET", path, token: server.admin)
        #expect(answer.status == status, "\(path): \(answer.text)")
        #expect(answer.json?["code"] != nil, "\(path): \(answer.text)")
      }
    }
  }

  @Test("FILE-7: images are listed in the order of rooms and names, page by page")
  func images() async throws {
    try await RunningServer.with { server in
      var put: [String] = []
      for _ in 1...2 {
        let room = try await server.room()
        for last in 1...3 as ClosedRange<UInt8> {
          let answer = try await server.call(
            "POST", "/v5/rooms/\(room)/images", token: server.admin, bytes: Self.png + [last])
          put.append("\(room)/\(try #require(answer.json?["key"]?.string))")
        }
      }
      var (found, after): ([String], String) = ([], "")
      while found.count < 7 {
        let page = try await server.call("GET", "/v5/store/images?limit=4\(after)", token: server.admin)
        let images = page.json?["images"]?.array ?? []
        guard !images.isEmpty else { break }
        #expect(images.allSatisfy { $0["bytes"]?.int == Self.png.count + 1 })
        found += images.compactMap { image in
          guard let room = image["room"]?.string, let name = image["name"]?.string else { return nil }
          return "\(room)/\(name)"
        }
        after = "&after=\(found[found.count - 1])"
      }
      #expect(found == put.sorted())
    }
  }

  @Test("FILE-7, RIGHT-5: files with secrets are for who shows a pair of the key file, and for no token")
  func keys() async throws {
    try await RunningServer.with { server in
      let pairs = #"{"ak":"first","secret":"lock-one"},{"ak":"second","secret":"lock-two"}"#
      let (team, app) = (String(repeating: "1", count: 32), String(repeating: "2", count: 32))
      try PlainFile.write(
        Array("{\"team\":\"\(team)\",\"app\":\"\(app)\",\"keys\":[\(pairs)]}".utf8),
        to: "\(server.data)/\(KeyFile.name)")
      func ask(_ id: String, _ secret: String) async throws -> RunningServer.Answer {
        try await server.call(
          "POST", "/v5/store/keys", token: server.admin,
          body: "{\"accessKey\":\"\(id)\",\"secretAccessKey\":\"\(secret)\"}")
      }
      // The run's own pair is not in the file: that of an open server opens nothing here.
      for (id, secret) in [
        ("first", "lock-two"), ("nobody", "lock-one"), (RunningServer.pair.id, RunningServer.pair.secret),
      ] {
        let answer = try await ask(id, secret)
        #expect(answer.status == 401, "\(answer.text)")
        #expect(!answer.text.contains("lock-"), "\(answer.text)")
      }
      for (id, secret) in [("first", "lock-one"), ("second", "lock-two")] {
        let answer = try await ask(id, secret)
        let file = answer.json?["files"]?.array?.first
        #expect(answer.status == 200)
        #expect(file?["name"]?.string == KeyFile.name)
        #expect(file?["text"]?.string?.contains("\"second\"") == true)
      }
      let webhooks = try await server.call("GET", "/v5/store/webhooks", token: server.admin)
      #expect(webhooks.status == 200)
      #expect(webhooks.json?["files"]?.array?.isEmpty == true)
      let tag = try #require(webhooks.headers["etag"])
      let again = try await server.call(
        "GET", "/v5/store/webhooks", token: server.admin, headers: ["if-none-match": tag])
      #expect(again.status == 304)
    }
  }
}
