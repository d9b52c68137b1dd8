import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

@Suite struct StateCodecTests {
  @Test("A state comes back from its snapshot, equal and with an equal hash")
  func roundTrip() throws {
    var chance = Chance(700)
    for places in [0, 1, 7, 255, 256, 257, 600] {
      let state = chance.state(places: places)
      var encoder = StateEncoder()
      let snapshot = encoder.snapshot(of: state)
      let back = try StateDecoder.state(of: snapshot)
      #expect(back == state)
      #expect(StateEncoder.hash(of: back) == snapshot.stateHash)
      #expect(snapshot.parts.count == (places + 255) / 256)
      #expect(snapshot.parts.allSatisfy { $0.key.count == 16 })
    }
  }

  @Test("The hash does not depend on the order in which a dictionary was filled")
  func order() {
    var forward = RoomState()
    var backward = RoomState()
    for number in 0..<50 { forward.globalState["k\(number)"] = .null }
    for number in (0..<50).reversed() { backward.globalState["k\(number)"] = .null }
    #expect(StateEncoder.hash(of: forward) == StateEncoder.hash(of: backward))
    backward.globalState["k0"] = JSONText(unchecked: "0")
    #expect(StateEncoder.hash(of: forward) != StateEncoder.hash(of: backward))
  }

  @Test("Only parts whose chunk changed are written anew, and the result is that of a fresh encoder")
  func keepsParts() {
    var chance = Chance(701)
    var state = chance.state(places: 1_024)
    var encoder = StateEncoder()
    _ = encoder.snapshot(of: state)
    #expect(encoder.written == 4)
    _ = encoder.snapshot(of: state)
    #expect(encoder.written == 0)
    let second = state.elements.places[256..<512].compactMap { $0 }[0]
    _ = state.elements.erase(second.id)
    #expect(encoder.snapshot(of: state).stateHash == StateEncoder.hash(of: state))
    #expect(encoder.written == 1)
    state.elements.put(chance.stroke(ElementID(member: 9, number: 1)))
    #expect(encoder.snapshot(of: state).stateHash == StateEncoder.hash(of: state))
    #expect(encoder.written == 1)
  }

  @Test("The state hash is the one that PROTOCOL.md, section 7 describes")
  func hash() throws {
    let state = RoomState()
    var encoder = StateEncoder()
    let snapshot = encoder.snapshot(of: state)
    #expect(
      String(decoding: snapshot.root, as: UTF8.self)
        == "{\"revision\":0,\"time\":0,\"createdAt\":0,\"globalState\":{},\"members\":[],\"nextMember\":0,"
        + "\"scenes\":[],\"currentScene\":0,\"nextScene\":1,\"places\":0,\"parts\":[]}")
    // printf 'boardroom.state.1\n{"revision":0,…}' | sha256sum
    #expect(hex(snapshot.stateHash) == "ce5647f38782030d4ebfb1bc05b6a84ea955c0f74db58becc79a6cca878a9ade")
  }

  @Test("A part that is not the one named, or a root that does not fit, is refused")
  func refusals() throws {
    var chance = Chance(702)
    var encoder = StateEncoder()
    let snapshot = encoder.snapshot(of: chance.state(places: 300))
    let parts = snapshot.parts.map(\.bytes)
    #expect(throws: CodecError.self) { try StateDecoder.state(root: snapshot.root, parts: [parts[0]]) }
    #expect(throws: CodecError.self) { try StateDecoder.state(root: snapshot.root, parts: parts.reversed()) }
    #expect(throws: CodecError.self) { try StateDecoder.state(root: [], parts: []) }
    var changed = snapshot
    changed.root = Array(String(decoding: snapshot.root, as: UTF8.self).replacing("300", with: "299").utf8)
    #expect(throws: CodecError.self) { try StateDecoder.state(of: changed) }
  }

  @Test("Mutated roots and parts give a state or an error")
  func fuzz() {
    var chance = Chance(703)
    var accepted = 0
    for _ in 0..<400 {
      var encoder = StateEncoder()
      let snapshot = encoder.snapshot(of: chance.state(places: 12))
      for _ in 0..<10 {
        let root = chance.mutate(snapshot.root)
        if (try? StateDecoder.state(root: root, parts: snapshot.parts.map(\.bytes))) != nil { accepted += 1 }
        let part = chance.mutate(snapshot.parts[0].bytes)
        let mirror = WireCodec(.json).encode(server: .snapshotPart(part))
        #expect((try? WireCodec(.json).decodeServer(mirror)) == .snapshotPart(part))
      }
    }
    #expect(accepted > 0)
  }

  @Test("Snapshot messages come back in both subprotocols, byte for byte", arguments: Subprotocol.allCases)
  func messages(_ subprotocol: Subprotocol) throws {
    var chance = Chance(704)
    let codec = WireCodec(subprotocol)
    for places in [0, 5, 300] {
      var encoder = StateEncoder()
      let snapshot = encoder.snapshot(of: chance.state(places: places))
      let root = Notice.snapshotRoot(
        revision: snapshot.revision, time: snapshot.time, stateHash: snapshot.stateHash,
        parts: snapshot.parts.count, bytes: snapshot.root)
      #expect(try codec.decodeServer(codec.encode(server: root)) == root)
      for part in snapshot.parts {
        let notice = Notice.snapshotPart(part.bytes)
        let message = codec.encode(server: notice)
        #expect(try codec.decodeServer(message) == notice)
        if subprotocol == .json { #expect(!String(decoding: message, as: UTF8.self).contains("\"raw\"")) }
      }
    }
  }

  @Test("BOUND-3: root, hash and parts are the same one by one as in a snapshot")
  func onePartAtATime() {
    var chance = Chance(705)
    for places in [0, 1, 256, 600] {
      let state = chance.state(places: places)
      var encoder = StateEncoder()
      let snapshot = encoder.snapshot(of: state)
      let root = StateEncoder.root(of: state)
      #expect(root.bytes == snapshot.root)
      #expect(root.stateHash == snapshot.stateHash)
      let parts = (0..<state.elements.chunkCount).map { StateEncoder.part($0, of: state) }
      #expect(parts == snapshot.parts.map(\.bytes))
    }
  }
}
