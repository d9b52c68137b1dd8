import BoardroomModel
import EventLogModel
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting

private let secret = "s3cr3t"
private let keys = KeyRing(pairs: [KeyPair(id: "k", secret: secret), KeyPair(id: "old", secret: "o")])
private let now = Timestamp(milliseconds: 1_000_000)
private let own = RoomID(high: 1, low: 2)
private let other = RoomID(high: 3, low: 4)
private let nonce = "5e0a7a60-c6c1-11f0-8de9-0242ac120002"

/// Everything that a text opens here: by HTTP, at the door of rooms and at that of accounts.
private func rights(of text: String) -> Set<String> {
  var found: Set<String> = []
  let rooms: [RoomID?] = [nil, own, other]
  let minted: [Role?] = [nil, .admin, .writer, .reader]
  // `KeyRing.admit`, with the text read once for all actions.
  guard let token = try? AccessToken(text, secret: keys.secret(of:)), !token.hasExpired(at: now) else {
    return []
  }
  for action in Action.allCases {
    for room in rooms {
      for role in minted {
        let permission = Permission(action, room: room, minted: role)
        if (try? permission.check(token)) != nil { found.insert("\(permission)") }
      }
    }
  }
  let gate = TokenGatekeeper(keys: keys)
  for room in [own, other] {
    for uid in [nil, "ana", "ben"] {
      for replay in [nil, ReplayWish()] {
        let hello = Hello(room: room, token: text, uid: uid, replay: replay)
        guard let admission = try? gate.admit(hello, from: nil, at: now) else { continue }
        found.insert("\(room) \(admission.role) \(uid ?? "") \(admission.uid ?? "") \(replay != nil)")
      }
    }
  }
  for account in ["ana", "ben"] {
    for channel in [nil, "lobby"] {
      for replay in [nil, ReplayWish()] {
        let place = Place(service: .rtm, account: account, channel: channel)
        let hello = Hello(room: own, place: place, token: text, replay: replay)
        guard let admission = try? gate.admit(hello, from: nil, at: now) else { continue }
        found.insert("\(place) \(admission.role) \(replay != nil)")
      }
    }
  }
  return found
}

private struct Kind: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var token: AccessToken
  var text: String { token.signed(with: secret) }
  /// The pairs of its query, `sig` too, as they stand in it.
  var fields: [String] {
    let body = text.drop { $0 != "_" }.dropFirst()
    let query = Base64URL.decode(body).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return query.split(separator: "&").map(String.init)
  }

  /// What its map says. Without a type, `uuid` is that of a room or a task, and only the prefix says of which: such a map
  /// is worth what it opens as a room's, and its issuer must not give a task the name of a room (RIGHT-2).
  var worth: Set<String> {
    guard !token.isTyped, case .task(let name) = token.scope, let room = RoomID(name) else {
      return rights(of: text)
    }
    var same = token
    same.scope = .room(room)
    return rights(of: same.signed(with: secret)).union(rights(of: text))
  }
}

private let kinds: [Kind] = {
  var kinds: [Kind] = []
  let scopes: [(String, TokenScope)] = [
    ("team", .team), ("room", .room(own)), ("task", .task("task-7")), ("account", .account("ana")),
    ("task named as a room", .task(own.description)), ("account named as a room", .account(own.description)),
  ]
  for isTyped in [true, false] {
    for (name, scope) in scopes {
      for role in Role.allCases {
        for uid in [nil, "ana"] {
          guard uid == nil || scope == .room(own) else { continue }
          var token = AccessToken(
            scope: scope, role: role, keyID: "k", expires: now + .seconds(60), nonce: nonce, uid: uid)
          token.isTyped = isTyped
          let about = "\(isTyped ? "typed" : "untyped") \(name) \(role)\(uid.map { " of \($0)" } ?? "")"
          kinds.append(Kind(testDescription: about, token: token))
        }
      }
    }
  }
  return kinds
}()

private let prefixes =
  TokenType.allCases.map(\.prefix)
  + TokenType.allCases.flatMap { type in
    [
      type.prefix.lowercased(), String(type.prefix.dropLast()), type.prefix + "_", " " + type.prefix,
      // The sign of kelvin, which Unicode calls equivalent to K.
      type.prefix.replacing("K", with: "\u{212A}"), type.prefix + type.prefix, type.prefix + "\u{301}",
    ]
  } + [""]

/// The body again, written in another way.
private func spellings(_ fields: [String]) -> [[String]] {
  var found = [Array(fields.reversed()), fields.map { $0.uppercased() }, fields.map { $0.lowercased() }]
  for place in fields.indices {
    let name = String(fields[place].prefix { $0 != "=" })
    let value = String(fields[place].dropFirst(name.count + 1))
    func replacing(_ pair: String) -> [String] {
      var changed = fields
      changed[place] = pair
      return changed
    }
    var turned = fields
    turned.append(turned.remove(at: place))
    found.append(turned)
    found += [replacing("\(name.uppercased())=\(value)"), replacing("\(name)=\(value.uppercased())")]
    found += [
      replacing("\(name)=\(value)="), replacing("\(name)= \(value)"), replacing("\(name)=%00\(value)"),
    ]
    // A letter with an escape that it does not need, in both cases of the digits.
    for digits in ["%6", "%7"] {
      let letter = name.utf8.first.map { String($0 & 15, radix: 16) } ?? ""
      found += [digits + letter, digits + letter.uppercased()].map {
        replacing($0 + "\(name.dropFirst())=\(value)")
      }
    }
    found.append(replacing("\(name)=" + value.utf8.map { "%" + String($0, radix: 16) }.joined()))
    var without = fields
    without.remove(at: place)
    found += [without, fields + [fields[place]], [fields[place]] + fields]
  }
  let additions = [
    "role=0", "uuid=\(other)", "uuid=\(own)", "account=ben", "account=ana", "uid=ben", "uid=", "type=sdk",
    "type=room", "type=account", "type=task", "type=", "type=team", "expireAt=9999999999999", "%72ole=0", "=",
    "", "ak=old", "sig=" + String(repeating: "0", count: 64), "a=b",
  ]
  for addition in additions {
    let name = addition.prefix { $0 != "=" }
    found += [fields + [addition], [addition] + fields, (fields + [addition]).sorted()]
    found.append((fields.filter { !$0.hasPrefix("\(name)=") } + [addition]).sorted())
  }
  return found
}

private func texts(of kind: Kind) -> [String] {
  let body = String(kind.text.drop { $0 != "_" }.dropFirst())
  let own = String(kind.text.prefix { $0 != "_" }) + "_"
  var bodies = spellings(kind.fields).map {
    Base64URL.encode(Array($0.joined(separator: "&").utf8))
  }
  bodies += ["=", "==", "%3D", " ", "\n", "\0", "A", "AA", "_", "&"].map { body + $0 }
  bodies += ["=", " ", "_"].map { $0 + body }
  bodies += [body.uppercased(), body.lowercased(), String(body.reversed()), ""]
  bodies += [body.replacing("-", with: "+").replacing("_", with: "/"), body.replacing("A", with: "\u{FF21}")]
  // Every last letter: some differ in bits that say nothing.
  bodies += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".map {
    String(body.dropLast()) + String($0)
  }
  // The signature of every other kind, of the same and of another role.
  for foreign in kinds {
    guard let sig = foreign.fields.first(where: { $0.hasPrefix("sig=") }) else { continue }
    let mixed = kind.fields.map { $0.hasPrefix("sig=") ? sig : $0 }
    bodies.append(Base64URL.encode(Array(mixed.joined(separator: "&").utf8)))
  }
  return prefixes.map { $0 + body }
    + bodies.flatMap { changed in
      ([own] + TokenType.allCases.map(\.prefix)).map { $0 + changed }
    }
}

@Test(
  "RIGHT-4: whatever is rewritten of a token that is not signed, its rights never grow", arguments: kinds)
private func rightsNeverGrow(_ kind: Kind) {
  let worth = kind.worth
  #expect(rights(of: kind.text).isSubset(of: worth))
  var opened: [String: Set<String>] = [:]
  for text in Set(texts(of: kind)) {
    guard (try? AccessToken(text, secret: keys.secret(of:))) != nil else { continue }
    opened[text] = rights(of: text)
  }
  for (text, found) in opened {
    #expect(found.isSubset(of: worth), "\(text) opens \(found.subtracting(worth).sorted().prefix(3))")
  }
  guard kind.token.isTyped else { return }
  #expect(Array(opened.keys) == [kind.text], "RIGHT-3: one content has one text")
}

@Test("RIGHT-4: the kinds differ in what they open, so that the property has something to hold")
func rightsDiffer() throws {
  func worth(_ about: String) throws -> Set<String> {
    try #require(kinds.first { $0.testDescription == about }).worth
  }
  for typed in ["typed", "untyped"] {
    let (team, room) = (try worth("\(typed) team admin"), try worth("\(typed) room admin"))
    let (reader, account) = (try worth("\(typed) room reader"), try worth("\(typed) account writer"))
    #expect(room.isStrictSubset(of: team))
    #expect(reader.count < room.count)
    #expect(!reader.isEmpty)
    #expect(!account.isEmpty)
    #expect(account.isDisjoint(with: room))
    #expect(try worth("\(typed) task admin").isEmpty)
    let bound = try worth("\(typed) room reader of ana")
    #expect(!bound.isEmpty)
    #expect(bound.count < reader.count)
  }
  #expect(try worth("typed task named as a room admin").isEmpty)
}
