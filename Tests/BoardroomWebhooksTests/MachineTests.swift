import BoardroomModel
import EventLogModel
import StorageTestKit
import Testing

@testable import BoardroomWebhooks

private let (a, b) = (Reception.room(1), Reception.room(2))

@Test("HOOK-1, HOOK-3: a receiver that is down for hours gets everything, once, in the order of each room")
func downForHours() {
  var world = Reception()
  let up = world.now + .seconds(6 * 3_600)
  for _ in 0..<40 {
    world.commit(in: a)
    world.commit(2, in: b)
    world.run(until: world.now + .seconds(300)) { _, now in now < up ? Answers.status(503) : Answers.fine }
  }
  world.run(until: up + .seconds(600)) { _, now in now < up ? .unreachable("no connection") : Answers.fine }
  world.checkAllArrived()
  #expect(world.taken.count == 120)
  #expect(world.losses.isEmpty)
  #expect(world.machine.standing(at: world.now).revisions == 0)
}

@Test(
  "HOOK-4: pauses double from 1 s to 5 min, each by chance between half and the whole, and end with success")
func pausesDouble() {
  var world = Reception()
  world.commit(in: a)
  world.answerTime = .zero
  world.run(until: world.now + .seconds(7_200)) { _, _ in Answers.status(500) }
  let pauses = zip(world.requests.dropFirst(), world.requests).map { $0.at - $1.at }
  for (place, pause) in pauses.enumerated() {
    let whole = min(Duration.seconds(1) * (1 << min(place, 20)), .seconds(300))
    #expect(pause <= whole, "pause \(place) is \(pause)")
    #expect(pause >= max(.seconds(1), whole / 2), "pause \(place) is \(pause)")
  }
  #expect(Set(pauses.suffix(10)).count > 5, "chance spreads them")
  #expect(world.machine.failures == world.requests.count)
  world.run(until: world.now + .seconds(300)) { _, _ in Answers.fine }
  #expect(world.machine.failures == 0)
  #expect(world.machine.failingSince == nil)
  world.checkAllArrived()
}

@Test("HOOK-4: a failing endpoint rests as a whole: other rooms make no more requests of it")
func restsAsAWhole() {
  var world = Reception()
  world.answerTime = .zero
  for number in 1...50 { world.commit(in: Reception.room(UInt64(number))) }
  world.run(until: world.now + .seconds(60)) { _, _ in .timeout }
  #expect(world.requests.count <= 8, "\(world.requests.count) in a minute")
}

@Test(
  "HOOK-4: failing answers, 5xx, redirects, 401, 404, 429, time-outs let the endpoint rest and are tried again"
)
func failingAnswers() {
  let answers =
    [500, 502, 503, 301, 302, 307, 401, 403, 404, 408, 429, 100].map { Answers.status($0) }
    + [.timeout, .unreachable("no connection")]
  for answer in answers {
    var world = Reception()
    world.commit(in: a)
    world.commit(in: b)
    world.run(until: world.now + .seconds(60)) { [start = world.now] _, now in
      now == start ? answer : Answers.fine
    }
    #expect(world.requests.map(\.events.first?.id).prefix(2) == [world.logs[a]![0].id, world.logs[a]![0].id])
    world.checkAllArrived()
  }
}

@Test("An answer with Retry-After is taken at its word, up to the longest pause")
func retryAfterCounts() {
  for (asked, least, most) in [(0, 1, 1), (40, 40, 40), (9_999, 300, 300)] {
    var world = Reception()
    world.answerTime = .zero
    world.commit(in: a)
    world.run(until: world.now + .seconds(301), requests: 2) { _, _ in
      .status(503, retryAfter: .seconds(asked))
    }
    let pause = world.requests[1].at - world.requests[0].at
    #expect(pause >= .seconds(least), "asked for \(asked) s, waited \(pause)")
    #expect(pause <= .seconds(most), "asked for \(asked) s, waited \(pause)")
  }
}

@Test("HOOK-4: an event that is refused holds its room and no other, and the room's order")
func refusalHoldsOneRoom() {
  var world = Reception()
  let poison = Reception.event(2, at: world.now, in: a).id
  world.commit(4, in: a)
  world.commit(5, in: b)
  let mended = world.now + .seconds(3_600)
  world.run(until: world.now + .seconds(1_800)) { events, _ in
    events.contains { $0.id == poison } ? Answers.status(422) : Answers.fine
  }
  #expect(world.taken(of: a) == [1])
  #expect(world.taken(of: b) == [1, 2, 3, 4, 5])
  #expect(world.machine.failures == 0)
  world.run(until: mended + .seconds(600)) { _, now in now < mended ? Answers.status(422) : Answers.fine }
  #expect(world.taken(of: a) == [1, 2, 3, 4])
}

@Test("Of a refused batch the events go one by one, until the one that is meant is found")
func refusedBatchIsTakenApart() {
  var world = Reception(policy: .init(batch: 10))
  let poison = Reception.event(4, at: world.now, in: a).id
  world.commit(8, in: a)
  world.commit(3, in: b)
  world.run(until: world.now + .milliseconds(900)) { events, _ in
    events.contains { $0.id == poison } ? Answers.status(400) : Answers.fine
  }
  #expect(world.taken(of: a) == [1, 2, 3])
  #expect(world.taken(of: b) == [1, 2, 3])
  #expect(world.requests[0].events.count == 10)
  #expect(world.requests[1...4].allSatisfy { $0.events.count == 1 })
}

@Test("An endpoint that refuses everything of many rooms rests as a whole")
func refusingEverythingIsFailing() {
  var world = Reception()
  world.answerTime = .zero
  for number in 1...200 { world.commit(in: Reception.room(UInt64(number))) }
  world.run(until: world.now + .milliseconds(500)) { _, _ in Answers.status(400) }
  #expect(world.requests.count == world.policy.heldRooms + 1)
  #expect(world.machine.failures == 1)
  world.run(until: world.now + .seconds(3_600)) { _, _ in Answers.fine }
  world.checkAllArrived()
}

@Test("HOOK-7: 410 Gone ends it: nothing more is sent, nothing is lost, and a restart begins where it was")
func goneDisables() {
  var world = Reception()
  world.commit(3, in: a)
  world.run(until: world.now + .seconds(1), requests: 1) { _, _ in Answers.fine }
  world.run(until: world.now + .seconds(86_400)) { _, _ in Answers.status(410) }
  world.commit(2, in: b)
  world.run(until: world.now + .seconds(86_400)) { _, _ in Answers.fine }
  #expect(world.requests.count == 2)
  #expect(world.machine.standing(at: world.now).isUnwanted)
  world.restart()
  world.run(until: world.now + .seconds(60)) { _, _ in Answers.fine }
  #expect(world.taken(of: a) == [1, 2, 3])
  #expect(world.taken(of: b) == [1, 2])
}

@Test(
  "HOOK-1, HOOK-2: after kill -9 at any request delivery goes on, and repeats have the same id and content")
func restartAnywhere() {
  for batch in [1, 3, 100] {
    for cut in 0..<30 {
      var world = Reception(policy: .init(batch: batch, page: 4), seed: UInt64(cut))
      world.commit(7, in: a)
      world.commit(11, in: b)
      world.run(until: world.now + .seconds(60), requests: cut) { [start = world.now] _, now in
        (now - start).wholeMilliseconds % 60 == 0 ? Answers.status(500) : Answers.fine
      }
      world.restart()
      world.commit(2, in: a)
      world.run(until: world.now + .seconds(600)) { _, _ in Answers.fine }
      world.checkAllArrived()
      let contents = Dictionary(grouping: world.requests.flatMap(\.events), by: \.id)
      for (id, sent) in contents { #expect(Set(sent.map(\.json)).count == 1, "\(id) differs") }
      #expect(world.taken.count <= 20 + batch, "at most one batch is repeated")
    }
  }
}

@Test(
  "HOOK-5: answers that were heard are on disk before the next request: a restart repeats nothing of them")
func answersAreWritten() {
  var world = Reception()
  world.commit(9, in: a)
  world.run(until: world.now + .seconds(1), requests: 5) { _, _ in Answers.fine }
  world.restart()
  world.run(until: world.now + .seconds(1)) { _, _ in Answers.fine }
  #expect(world.taken(of: a) == Array(1...9))
}

@Test(
  "HOOK-6: nothing is given up before the retention; after it, what is older is skipped, recorded and counted"
)
func retentionEnds() throws {
  var world = Reception(policy: .init(retention: .seconds(3 * 86_400)))
  world.answerTime = .zero
  world.commit(5, in: a)
  let start = world.now
  world.run(until: start + .seconds(2 * 86_400)) { _, _ in Answers.status(503) }
  world.commit(2, in: a)
  world.commit(1, in: b)
  world.run(until: start + .seconds(3 * 86_400 - 1)) { _, _ in Answers.status(503) }
  #expect(world.losses.isEmpty)
  world.run(until: start + .seconds(3 * 86_400 + 600)) { _, _ in Answers.status(503) }
  let loss = try #require(world.losses.first)
  #expect(world.losses.count == 1)
  #expect(loss.room == a)
  #expect(loss.first == 1)
  #expect(loss.last == 5)
  #expect(loss.events == 5)
  #expect(loss.reason == .retention)
  world.run(until: world.now + .seconds(600)) { _, _ in Answers.fine }
  #expect(world.taken(of: a) == [6, 7])
  #expect(world.taken(of: b) == [1])
}

@Test("How long an endpoint has failed survives restarts; one that answers begins anew, whatever its age")
func failingSinceSurvives() {
  var world = Reception(policy: .init(retention: .seconds(3_600)))
  world.commit(3, in: a)
  for _ in 0..<7 {
    world.run(until: world.now + .seconds(600)) { _, _ in .timeout }
    world.restart()
  }
  world.run(until: world.now + .seconds(600)) { _, _ in .timeout }
  #expect(world.losses.map(\.count) == [3])

  var other = Reception(policy: .init(retention: .seconds(3_600)))
  other.commit(3, in: a)
  other.now = other.now + .seconds(86_400)
  other.run(until: other.now + .seconds(60)) { _, _ in Answers.fine }
  #expect(other.losses.isEmpty)
  #expect(other.taken(of: a) == [1, 2, 3])
}

@Test("A refused event is given up after the retention, and its room goes on")
func refusedEventIsGivenUp() {
  var world = Reception(policy: .init(retention: .seconds(3_600)))
  world.commit(1, in: a)
  world.run(until: world.now + .seconds(3_000)) { _, _ in Answers.status(422) }
  world.commit(2, in: a)
  world.run(until: world.now + .seconds(1_200)) { events, _ in
    events[0].revision == 1 ? Answers.status(422) : Answers.fine
  }
  #expect(world.losses.map(\.last) == [1])
  #expect(world.taken(of: a) == [2, 3])
}

@Test("HOOK-4: a log that cannot be read holds its own room; one that is gone is forgotten, with a loss")
func unreadableLogs() {
  var world = Reception()
  world.commit(2, in: a)
  world.commit(2, in: b)
  world.unreadable = [a]
  world.run(until: world.now + .seconds(60)) { _, _ in Answers.fine }
  #expect(world.taken(of: b) == [1, 2])
  #expect(world.taken(of: a).isEmpty)
  world.unreadable = []
  world.run(until: world.now + .seconds(600)) { _, _ in Answers.fine }
  world.checkAllArrived()
  world.commit(3, in: a)
  world.logs[a] = nil
  world.run(until: world.now + .seconds(1)) { _, _ in Answers.fine }
  #expect(world.losses.map(\.reason) == [.deleted])
  #expect(world.losses.map(\.count) == [3])
  #expect(world.machine.cursors[a] == nil)
}

@Test("HOOK-8: rooms in which nothing is told cost nothing: no look at the log, no request")
func quietRoomsCostNothing() {
  var machine = WebhookMachine(policy: .init())
  let now = Timestamp(milliseconds: 1)
  let info = LogInfo(
    log: a, epoch: Epoch(1), created: now, low: 1, last: 5, lastTime: now, rawBytes: 0, storedBytes: 0)
  machine.found(info, skips: true, at: now)
  for revision in 6..<100 {
    let note = WebhookNote(
      first: Revision(UInt64(revision)), last: Revision(UInt64(revision)), isWanted: false)
    machine.advanced(a, note, at: now)
    #expect(machine.next(at: now) == .wait(until: nil))
  }
  #expect(machine.cursors[a]?.revision == 99)
  #expect(machine.takeMoves(all: false).moves.isEmpty)
  #expect(machine.takeMoves(all: true).moves.map(\.cursor?.revision) == [99])
}

@Test("Many rooms, a receiver that fails as it likes, restarts: at the end everything is there, in order")
func everythingArrives() {
  for seed in 0..<20 as Range<UInt64> {
    var luck = SeededGenerator(seed: seed)
    var world = Reception(policy: .init(batch: Int.random(in: 1...8, using: &luck), page: 5), seed: seed)
    for _ in 0..<60 {
      world.commit(.random(in: 1...4, using: &luck), in: Reception.room(.random(in: 1...12, using: &luck)))
      if Int.random(in: 0..<8, using: &luck) == 0 { world.restart() }
      world.run(until: world.now + .seconds(.random(in: 0...90, using: &luck))) { _, _ in
        switch Int.random(in: 0..<10, using: &luck) {
        case 0...5: Answers.fine
        case 6: .timeout
        case 7: Answers.status(422)
        case 8: .status(429, retryAfter: .seconds(5))
        default: Answers.status(500)
        }
      }
    }
    world.run(until: world.now + .seconds(3_600)) { _, _ in Answers.fine }
    world.checkAllArrived()
    #expect(world.losses.isEmpty)
  }
}
