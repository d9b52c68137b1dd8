import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

@Suite struct KeptStayTests {
  private struct Pair {
    let world = World(seed: 21)
    let stays = StayMemory()
    let anna: SignalingUser
    let bert: SignalingUser

    /// Both in the lobby, with nothing heard yet.
    init(keeps: Bool = true) {
      anna = SignalingUser(world, "anna", stays: keeps ? stays : nil)
      bert = SignalingUser(world, "bert")
      for user in [anna, bert] {
        user.login()
        world.run(for: 2)
        user.client.channelJoin("lobby")
        world.run(for: 2)
      }
      for user in [anna, bert] { user.heard.clear() }
    }

    /// The program of anna ends without a word, and another is started so many seconds later.
    func restarted(after seconds: Double, keeps: Bool = true) -> SignalingUser {
      anna.network.set(.cut)
      world.run(for: seconds)
      let again = SignalingUser(world, "anna", stays: keeps ? stays : nil)
      again.login()
      world.run(for: 2)
      again.client.channelJoin("lobby")
      world.run(for: 2)
      return again
    }
  }

  @Test("FACE-4: a program that was killed and kept its stays is back after 25 s, and nobody has noticed")
  func short() {
    let pair = Pair()
    let again = pair.restarted(after: 25)
    #expect(
      again.heard.texts == [
        "onLoginSuccess 0 1", "onChannelJoined lobby", "onChannelUserList [\"anna\", \"bert\"] [0, 0]",
      ])
    #expect(pair.bert.heard.texts.isEmpty)
    again.client.messageChannelSend("lobby", msg: "here", msgID: "1")
    again.client.setAttr("mood", value: "fine")
    pair.world.run(for: 1)
    #expect(again.heard.texts.last == "onMessageChannelReceive lobby anna 0 here")
    #expect(pair.bert.heard.texts == ["onMessageChannelReceive lobby anna 0 here"])
  }

  @Test("FACE-4: after 130 s it is somebody who comes anew, and without what was kept after 25 s, too")
  func long() {
    for (seconds, keeps) in [(130.0, true), (25, false)] {
      let pair = Pair(keeps: keeps)
      _ = pair.restarted(after: seconds, keeps: keeps)
      #expect(pair.bert.heard.texts == ["onChannelUserLeaved anna 0", "onChannelUserJoined anna 0"])
    }
  }

  @Test("FACE-4: what was left is not kept, what was only cut off is")
  func forgotten() {
    let pair = Pair()
    let home = Place(service: .signaling, account: "anna")
    let lobby = Place(service: .signaling, account: "anna", channel: "lobby")
    #expect(pair.stays.places == [home, lobby])
    pair.anna.network.set(.cut)
    pair.world.run(for: 200)
    #expect(pair.anna.heard.texts.last == "onLogout 102")
    #expect(pair.stays.places.contains(home))
    pair.anna.network.set(.clear)
    pair.anna.login()
    pair.world.run(for: 2)
    pair.anna.client.channelJoin("lobby")
    pair.world.run(for: 2)
    #expect(pair.stays.places == [home, lobby])
    pair.anna.client.channelLeave("lobby")
    pair.world.run(for: 2)
    #expect(pair.stays.places == [home])
    pair.anna.client.logout()
    pair.world.run(for: 2)
    #expect(pair.stays.places.isEmpty)
  }

  @Test("FACE-5: who sets an attribute and reads it in the same turn reads what was set")
  func inOrder() {
    let pair = Pair()
    pair.world.loop.execute {
      pair.anna.client.setAttr("mood", value: "fine")
      pair.anna.client.getAttr("mood")
    }
    pair.world.run(for: 1)
    #expect(pair.anna.heard.texts == ["onUserAttrResult anna mood fine"])
  }
}
