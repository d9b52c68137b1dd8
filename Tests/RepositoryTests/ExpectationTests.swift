import Testing

/// What `#expect` and `#require` of a file ask for: the text in their brackets.
private func expectations(in text: String) -> [Substring] {
  text.ranges(of: /#(expect|require)\(/).map { text[$0.upperBound..<end(of: text, from: $0.upperBound)] }
}

/// Where the bracket closes that was opened before; brackets in texts do not count.
private func end(of text: String, from start: String.Index) -> String.Index {
  var (depth, isText, index) = (1, false, start)
  while index < text.endIndex {
    switch text[index] {
    case "\\" where isText: index = text.index(after: index)
    case "\"": isText.toggle()
    case "(", "[", "{": depth += isText ? 0 : 1
    case ")", "]", "}":
      depth -= isText ? 0 : 1
      if depth == 0 { return index }
    default: break
    }
    index = text.index(after: index)
  }
  return text.endIndex
}

/// Whether a condition is two, joined with `&&` in no bracket. What has an `||` beside it cannot be split.
private func isJoined(_ expectation: Substring) -> Bool {
  var (depth, isText, signs, before) = (0, false, Set<String>(), Character(" "))
  for character in expectation {
    if character == "\"", before != "\\" { isText.toggle() }
    if isText {
      before = character
      continue
    }
    if "([{".contains(character) { depth += 1 }
    if ")]}".contains(character) { depth -= 1 }
    if depth == 0, before == character, character == "&" || character == "|" { signs.insert("\(character)") }
    before = character
  }
  return signs == ["&"]
}

@Test("An expectation says one thing: none joins two with &&, so that a failure says which part failed")
func expectationsAreSingle() {
  for file in Repository.files(under: ["Tests"], ending: ".swift") {
    for expectation in expectations(in: Repository.text(file) ?? "") {
      #expect(!isJoined(expectation), "\(file): \(expectation.prefix(100))")
    }
  }
}

@Test(
  "Which expectations count as two",
  arguments: [
    ("a == 1 && b == 2", true), ("all.allSatisfy { $0.a && $0.b }", false), ("(a && b) == c", false),
    ("a || b && c", false), ("a == \"x && y\"", false), ("a, \"x && y\"", false),
    ("a(\")\") && b", true), ("try x() && y", true), ("a == \"\\\" && \" && b", true),
  ])
func joined(text: String, isTwo: Bool) {
  let whole = "#" + "expect(\(text))"
  #expect(expectations(in: whole).map(String.init) == [text])
  #expect(isJoined(text[...]) == isTwo)
}
