import NodeCore
import Testing

/// What a node does to get a frame into the database, step by step. Without a database: all answers are given.
@Suite("LOG-1, DB-4, DB-8: how a frame gets into the database once")
struct FrameWritingTests {
  /// A frame that was acknowledged over the first link.
  private func afterOne(_ rules: FrameWriting.FrameRules = .all) -> FrameWriting {
    var writing = FrameWriting(rules: rules)
    writing.begin()
    #expect(writing.next(link: 1) == .insert, "there is nothing before it to ask for")
    writing.inserted(hasRow: true)
    #expect(writing.next(link: 1) == .done)
    writing.begin()
    return writing
  }

  @Test("A frame is sent once, and the next over the same link without a question")
  func usual() {
    var writing = afterOne()
    #expect(writing.next(link: 1) == .insert)
    writing.inserted(hasRow: true)
    #expect(writing.next(link: 1) == .done)
    #expect(writing.unknown == 0)
    #expect(writing.resent == 0)
  }

  @Test(
    "A frame whose outcome is not known is looked for behind the new link, and acknowledged if it is there")
  func wasWritten() {
    var writing = afterOne()
    #expect(writing.next(link: 1) == .insert)
    writing.failed(.unknown)
    #expect(writing.next(link: 2) == .askForLast)
    writing.askedForLast(isThere: true, isOpen: true, link: 2)
    #expect(writing.next(link: 2) == .look)
    writing.looked(isThere: true)
    #expect(writing.next(link: 2) == .done)
    #expect(writing.unknown == 1)
    #expect(writing.resent == 0)
  }

  @Test("One that is not there is sent again, and counts once however often its connection is lost")
  func wasNotWritten() {
    var writing = afterOne()
    #expect(writing.next(link: 1) == .insert)
    for link in 2...4 as ClosedRange<Int64> {
      writing.failed(.unknown)
      #expect(writing.next(link: link) == .askForLast)
      writing.askedForLast(isThere: true, isOpen: true, link: link)
      #expect(writing.next(link: link) == .look)
    }
    writing.looked(isThere: false)
    #expect(writing.next(link: 4) == .insert)
    writing.inserted(hasRow: true)
    #expect(writing.next(link: 4) == .done)
    #expect(writing.unknown == 1)
    #expect(writing.resent == 1)
  }

  @Test("What was lost before the frame was sent leaves nothing open: it is sent, and not looked for")
  func lostBefore() {
    var writing = afterOne()
    #expect(writing.next(link: 2) == .askForLast)
    writing.failed(.unknown)
    #expect(writing.next(link: 3) == .askForLast)
    writing.askedForLast(isThere: true, isOpen: true, link: 3)
    #expect(writing.next(link: 3) == .insert)
    #expect(writing.unknown == 0)
  }

  @Test(
    "A refusal that passes is tried again on the same link; nothing is looked for, because nothing was written"
  )
  func refused() {
    var writing = afterOne()
    #expect(writing.next(link: 1) == .insert)
    writing.failed(.refused)
    #expect(writing.next(link: 1) == .insert)
    #expect(writing.unknown == 0)
  }

  @Test(
    "A statement without its row says that the node is fenced; a database without the last frame was set back"
  )
  func ends() {
    var fenced = afterOne()
    #expect(fenced.next(link: 1) == .insert)
    fenced.inserted(hasRow: false)
    #expect(fenced.next(link: 1) == .fenced)
    var setBack = afterOne()
    #expect(setBack.next(link: 2) == .askForLast)
    setBack.askedForLast(isThere: false, isOpen: true, link: 2)
    #expect(setBack.next(link: 2) == .setBack)
    // Another node has recovered this one in between, and emptied its tables.
    var recovered = afterOne()
    #expect(recovered.next(link: 2) == .askForLast)
    recovered.askedForLast(isThere: false, isOpen: false, link: 2)
    #expect(recovered.next(link: 2) == .fenced)
  }

  @Test("Without its rules it neither looks nor asks")
  func withoutRules() {
    var writing = afterOne([])
    #expect(writing.next(link: 1) == .insert)
    writing.failed(.unknown)
    #expect(writing.next(link: 2) == .insert)
  }
}

@Suite("What answers, links, segments and owners mean to a node")
struct NodeMeaningTests {
  @Test(
    "DB-4: a warning, a cancelled statement and a connection that ends leave the outcome open; other refusals do not"
  )
  func answers() {
    let reading = AnswerReading()
    #expect(!reading.isOpen(warnings: 0))
    #expect(reading.isOpen(warnings: 1))
    for state in ["", "08006", "57014", "57P01"] { #expect(reading.isOpen(refusal: state), "\(state)") }
    for state in ["23505", "53100", "25006"] { #expect(!reading.isOpen(refusal: state), "\(state)") }
    for state in ["53300", "40P01", "25006"] { #expect(reading.canPass(state), "\(state)") }
    #expect(!reading.canPass("23505"))
    #expect(!AnswerReading(rules: .endLeavesOpen).isOpen(warnings: 1))
    #expect(!AnswerReading(rules: .warningLeavesOpen).isOpen(refusal: "57014"))
  }

  @Test(
    "DB-8, DB-9: a link rises; one that does not, or of a start that is not known, says that the database was set back"
  )
  func links() {
    var count = LinkCount()
    count.sent()
    #expect(count.isUnanswered)
    #expect(count.answered(isKnown: true, link: 3) == .linked)
    #expect(count.link == 3)
    #expect(!count.isUnanswered)
    #expect(count.answered(isKnown: true, link: 3) == .linkIsMissing)
    #expect(count.answered(isKnown: true, link: nil) == .fenced)
    #expect(count.answered(isKnown: false, link: nil) == .startIsMissing)
    #expect(count.link == 3)
    count.sent()
    count.refused()
    #expect(!count.isUnanswered)
  }

  @Test("LOG-1: a segment is used when the table of its turn was emptied, and emptied once")
  func segments() {
    var turn = SegmentTurn(tables: 4)
    #expect(turn.isFree(4))
    #expect(!turn.isFree(5))
    turn.beginRetiring(1)
    #expect(turn.mayBeEmpty(1), "the answer may be lost")
    #expect(!turn.mayBeEmpty(2))
    #expect(!turn.isFree(5), "it may be full still")
    #expect(!turn.isRetired(1), "it is to be emptied again")
    turn.retire(1)
    #expect(turn.isFree(5))
    #expect(turn.isRetired(1))
    #expect(!turn.isRetired(2))
    turn.retire(1)
    #expect(turn.oldestInUse == 2)
  }

  @Test("NODE-1, NODE-6: a look shows who is open, who is fenced, and whether this node is there still")
  func looks() {
    let rows: [NodeSight.SeenNode] = [
      .init(incarnation: 1, beat: 900, isFenced: false), .init(incarnation: 2, beat: 800, isFenced: true),
      .init(incarnation: 3, beat: 0, isFenced: false), .init(incarnation: 4, beat: 700, isFenced: false),
    ]
    let sight = NodeSight(rows, now: 1_000, own: 1)
    #expect(sight.open == [1, 3, 4])
    #expect(sight.fenced == [2])
    #expect(sight.look?.ownBeat == 900)
    #expect(sight.look?.now == 1_000)
    #expect(sight.look?.beats == [4: 700], "who does not beat is not judged")
    #expect(NodeSight(rows, now: 1_000, own: 2).look == nil)
    #expect(NodeSight(rows, now: 1_000, own: 9).look == nil)
  }

  @Test(
    "NODE-2, NODE-3: a log is another's while that lives, and changes its owner when it is fenced or silent")
  func owners() {
    func obstacle(_ owner: OwnershipObstacle.Owner?, isLive: Bool = true) -> OwnershipObstacle? {
      OwnershipObstacle(isLive: isLive, owner: owner, limit: 1_500)
    }
    #expect(obstacle(nil) == nil)
    #expect(obstacle(nil, isLive: false) == .deleted)
    #expect(obstacle(.init(isFenced: false, silence: 1_499)) == .elsewhere)
    #expect(obstacle(.init(isFenced: false, silence: 1_500)) == .changingOwner)
    #expect(obstacle(.init(isFenced: true, silence: 0)) == .changingOwner)
  }
}
