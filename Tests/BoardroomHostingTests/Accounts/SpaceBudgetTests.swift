import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@testable import BoardroomHosting

@Suite("How many accounts and channels are made")
struct SpaceBudgetTests {
  private func server(account: Int = 60, address: Int = 2_000) -> SimulatedServer {
    SimulatedServer(policy: ServerPolicy(spacesOfAccount: account, spacesOfAddress: address))
  }

  private func exists(_ name: SpaceName, _ server: SimulatedServer) -> Bool {
    let store = server.store
    return server.wait { (try? await store.info(of: name.log)) != nil }
  }

  @Test(
    "SPC-13: one account has so many spaces made in a minute; what is there costs nothing; later it may again"
  )
  func account() {
    let server = server(account: 3)
    let anna = server.login("anna")
    let set = AttributesSet([.init(name: "a", value: "1")])
    #expect(anna.reply(to: .send(account: "b1", id: "1", text: "", holds: true)) == .done)
    #expect(anna.reply(to: .setChannelAttributes(channel: "c1", set)) == .done)
    #expect(anna.refusal(of: .say(channel: "c2", ChannelMessage(id: "1", text: ""))) == .rateLimited)
    #expect(anna.refusal(of: .send(account: "b2", id: "1", text: "", holds: true)) == .rateLimited)
    #expect(!exists(.channel(.signaling, "c2"), server))
    #expect(!exists(.account("b2"), server))
    #expect(anna.reply(to: .send(account: "b1", id: "2", text: "", holds: true)) == .done)
    #expect(anna.reply(to: .setChannelAttributes(channel: "c1", set)) == .done)
    server.advance(by: .seconds(60), with: anna)
    #expect(anna.reply(to: .send(account: "b2", id: "1", text: "", holds: true)) == .done)
  }

  @Test(
    "SPC-13: a hello that would make one too many is refused, comes back later, and leaves no membership behind"
  )
  func hello() {
    let server = server(account: 1)
    let anna = server.login("anna")
    let lobby = server.enter("lobby", as: "anna")
    #expect(lobby.farewell?.refusal.code == .rateLimited)
    #expect(lobby.farewell?.comeBack == true)
    #expect(lobby.farewell?.refusal.limit == "spaces.account")
    anna.receive()
    #expect(anna.slot()?.channels ?? [] == [])
    server.advance(by: .seconds(60), with: anna)
    #expect(server.enter("lobby", as: "anna").isLive)
    let call = server.enter("call", as: "anna", .rtc)
    #expect(call.farewell?.refusal.code == .rateLimited)
  }

  @Test("SPC-13: one address has so many made, whatever its accounts; who enters what is there is let in")
  func address() {
    let server = server(address: 2)
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    #expect(anna.isLive)
    #expect(ben.isLive)
    #expect(server.login("carl").farewell?.refusal.limit == "spaces.address")
    anna.say(.leave)
    #expect(server.login("anna").isLive)
  }

  @Test("SPC-13: a minute is 60 s; this machine's own addresses, and 0, are no limit")
  func windows() {
    let budget = SpaceBudget(ofAccount: 2, ofAddress: 3)
    func take(_ account: String, _ address: String?, at seconds: Int64) -> String? {
      budget.refusal(.init(account: account, address: address), at: Timestamp(milliseconds: seconds * 1_000))?
        .limit
    }
    #expect(take("a", "192.0.2.1", at: 0) == nil)
    #expect(take("a", "192.0.2.1", at: 59) == nil)
    #expect(take("a", "192.0.2.1", at: 59) == "spaces.account")
    #expect(take("b", "192.0.2.1", at: 59) == nil)
    #expect(take("c", "192.0.2.1", at: 59) == "spaces.address")
    #expect(take("a", "192.0.2.1", at: 60) == nil)
    for account in ["d", "e", "f", "g"] { #expect(take(account, "127.0.0.1", at: 61) == nil) }
    let open = SpaceBudget(ofAccount: 0, ofAddress: 0)
    for _ in 0..<10 { #expect(open.refusal(.init(account: "a", address: nil), at: .zero) == nil) }
  }
}
