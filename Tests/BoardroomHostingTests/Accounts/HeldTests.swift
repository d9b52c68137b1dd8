import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

/// What an account holds of others' making: it ends, and one sender leaves room for the next.
@Suite struct HeldTests {
  private func message(_ number: Int, _ text: String = "", to account: String = "ben") -> Question {
    .send(account: account, id: "\(number)", text: text, holds: true)
  }

  @Test("ACC-14: of one sender 50 are held for who is not there, and another one still gets through")
  func shares() {
    let server = SimulatedServer()
    let (mallory, anna) = (server.login("mallory"), server.login("anna"))
    for number in 1...50 { #expect(mallory.reply(to: message(number)) == .done) }
    #expect(mallory.refusal(of: message(51)) == .tooMany)
    #expect(anna.reply(to: message(1, "hello")) == .done)
    #expect(server.login("ben").slot()?.inbox.count == 51)
  }

  @Test("ACC-14: what one sender has beyond its share, since the other was there, takes nobody's place")
  func beyondTheShare() {
    let server = SimulatedServer()
    let (mallory, anna, ben) = (server.login("mallory"), server.login("anna"), server.login("ben"))
    for number in 1...200 {
      if number % 50 == 0 { server.advance(by: .seconds(1), with: mallory, anna, ben) }
      #expect(mallory.reply(to: message(number)) == .done)
    }
    #expect(mallory.refusal(of: message(201)) == .tooMany)
    ben.cut()
    #expect(anna.reply(to: message(1, "hello")) == .done)
  }

  @Test("ACC-14: a mailbox ends at 1 MiB of JSON, whatever its signs, so that a client can take the snapshot")
  func bytes() {
    let server = SimulatedServer()
    let text = String(repeating: "\u{1}", count: 32 << 10)
    let senders = (1...8).map { server.login("m\($0)", .rtm) }
    for sender in senders {
      let answers = (1...3).map { sender.refusal(of: message($0, text)) }
      #expect(answers.last == .tooMany, "196 KiB each, and a share is 256 KiB")
    }
    let anna = server.login("anna", .rtm)
    #expect(anna.reply(to: message(1, "hello")) == .done, "five fitted, and some bytes are left")
    let ben = server.login("ben", .rtm)
    #expect(ben.slot(.rtm)?.inbox.count == 6)
    var encoder = StateEncoder()
    let size = encoder.snapshot(of: ben.mirror).root.count
    #expect(size > 700 << 10)
    #expect(size < 1_200 << 10)
  }

  @Test("ACC-14: one who sends the largest there are leaves room for a greeting")
  func mailboxIsShared() {
    let server = SimulatedServer()
    let (mallory, anna) = (server.login("mallory", .rtm), server.login("anna", .rtm))
    let text = String(repeating: "\u{1}", count: 32 << 10)
    for number in 1...200 {
      if number == 150 { server.advance(by: .seconds(3), with: mallory, anna) }
      _ = mallory.ask(message(number, text))
    }
    #expect(anna.reply(to: message(1, "hello")) == .done)
  }

  @Test("ACC-14: services without logins have no mailboxes: nobody would ever take what lies there")
  func noMailbox() {
    let server = SimulatedServer()
    for service in [Service.rtc, .white] {
      #expect(server.login("anna", service).refusal(of: message(1)) == .unknownKind)
    }
  }

  @Test(
    "A message sent again with its name and text is the one that is held; another text is another one")
  func again() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    for text in ["x", "x", "y"] { #expect(anna.reply(to: message(1, text)) == .done) }
    for _ in 1...2 {
      #expect(anna.reply(to: .send(account: "ben", id: "", text: "x", holds: true)) == .done)
    }
    #expect(server.login("carl").reply(to: message(1, "x")) == .done)
    let ben = server.login("ben")
    #expect(ben.slot()?.inbox.map(\.text) == ["x", "y", "x", "x", "x"])
    #expect(ben.slot()?.inbox.map(\.id) == ["1", "1", "", "", "1"])
  }

  @Test("X-50, ACC-14: what was held for 3,600 s is gone, also where nobody had the account open meanwhile")
  func expiredWhileClosed() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    #expect(anna.reply(to: message(1, "x")) == .done)
    let next = server.restarted()
    next.clock.advance(by: .seconds(7_200))
    let ben = next.login("ben")
    #expect(ben.slot()?.inbox == [])
    #expect(ben.slot()?.lastVersion == 1)
  }

  @Test("ACC-14: a text weighs what JSON makes of it")
  func weights() {
    let plain = HeldLimits.weight(of: "")
    for (text, weight) in [("abc", 3), ("é", 2), ("\u{1}\n", 12), ("\"\\", 4), ("\u{1F600}", 4)] {
      #expect(HeldLimits.weight(of: text) - plain == weight, "\(text)")
    }
  }
}
