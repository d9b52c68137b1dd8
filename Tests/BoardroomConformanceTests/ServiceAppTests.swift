import BoardroomClient
import BoardroomLegacy
import Synchronization
import Testing

@testable import BoardroomConformance

/// An app's own objects in the local party's place.
@Suite struct ServiceAppTests {
  /// Counts, and joins again by itself once the connection has failed.
  private final class Caller: RtcConnectionDelegate, Sendable {
    private let connection: RtcConnection
    private let rejoins: Bool
    private let count = Mutex(0)
    var heard: Int { count.withLock { $0 } }

    init(_ connection: RtcConnection, rejoins: Bool) {
      (self.connection, self.rejoins) = (connection, rejoins)
    }

    func connectionChangedToState(_ state: RtcConnectionState, reason: RtcConnectionReason) {
      count.withLock { $0 += 1 }
      guard rejoins, state == .failed else { return }
      connection.leaveChannel()
      connection.joinChannel(byToken: "token", channelId: "class", uid: 1)
    }
  }

  @Test("CONF-5: an RTC app that only listens passes; one that joins by itself after a failure does not")
  func rtc() {
    let callers = Mutex<[Caller]>([])
    let quiet = Conformance.check(rtc: { connection in
      let caller = Caller(connection, rejoins: false)
      callers.withLock { $0.append(caller) }
      return caller
    })
    #expect(quiet.passed.count == 6, "\(quiet)")
    #expect(callers.withLock { $0.count == 6 && $0.allSatisfy { $0.heard > 0 } })
    let eager = Conformance.check(rtc: { Caller($0, rejoins: true) }, only: ["TL-1", "TL-3"])
    #expect(eager.failed.map(\.id) == ["TL-1"], "\(eager)")
  }

  /// Keeps what it is told and, if it is stubborn, signs in again after a takeover.
  private final class Chat: RtmDelegate, RtmChannelDelegate, Sendable {
    private let client: RtmClient
    private let isStubborn: Bool
    private let texts = Mutex<[String]>([])
    var heard: [String] { texts.withLock { $0 } }

    init(_ client: RtmClient, isStubborn: Bool) { (self.client, self.isStubborn) = (client, isStubborn) }

    func connectionStateChanged(_ state: RtmConnectionState, reason: RtmConnectionReason) {
      guard isStubborn, state == .aborted else { return }
      client.logoutWithCompletion(nil)
      client.loginByToken("token", user: "anna", completion: nil)
    }

    func messageReceived(_ text: String, fromMember userId: String) { texts.withLock { $0.append(text) } }
  }

  @Test(
    "CONF-5, TL-13: an RTM app hears what the kit hears; one that signs in again after a takeover is told so")
  func rtm() {
    let chats = Mutex<[Chat]>([])
    let quiet = Conformance.check(
      rtm: { client in
        let chat = Chat(client, isStubborn: false)
        chats.withLock { $0.append(chat) }
        return chat
      }, only: ["TL-7", "TL-13"])
    #expect(quiet.passed.count == 2, "\(quiet)")
    #expect(chats.withLock { $0.map(\.heard) } == [["one", "two"], []])
    let stubborn = Conformance.check(rtm: { Chat($0, isStubborn: true) }, only: ["TL-7", "TL-13"])
    #expect(stubborn.failed.map(\.id) == ["TL-13"], "\(stubborn)")
  }

  @Test("CONF-5, TL-17: a Signaling app hears what the kit hears; one that never stops trying is told so")
  func signaling() {
    let heard = Mutex<[Int]>([])
    let quiet = Conformance.check(
      signaling: { client in
        client.onLoginFailed = { code in heard.withLock { $0.append(code.rawValue) } }
        return nil
      }, only: ["TL-17"])
    #expect(quiet.passed.count == 1, "\(quiet)")
    #expect(heard.withLock { $0 } == [201])
    let eager = Conformance.check(
      signaling: { client in
        client.onLoginFailed = { [weak client] _ in
          client?.login(client?.configuration.appId ?? "", account: "anna", token: "token")
        }
        return nil
      }, only: ["TL-17"])
    #expect(eager.failed.map(\.id) == ["TL-17"], "\(eager)")
  }
}
