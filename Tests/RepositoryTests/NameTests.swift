import Testing

/// Names of nested types that mean the same in whatever type they stand, as everywhere in Swift.
private let conventional: Set<String> = [
  // What a type keeps inside, and how it fails.
  "State", "Failure", "Options", "Settings", "Value", "Owner", "Key", "Item", "Row", "Header", "Path",
  // Of a machine or an operation: what comes in, what is done, how it ends.
  "Input", "Instruction", "Step", "Stage", "Verdict", "Outcome", "Report", "Progress", "Job", "Mode",
  "Reason",
  // Named values of one thing.
  "Field", "Fields", "Counts", "Format",
  // NIO asks for these.
  "InboundIn", "InboundOut", "OutboundIn", "OutboundOut",
]

/// Other names that stand at two places and mean one thing: what it is.
private let shared: [String: String] = [
  "Chance": "a seeded source of numbers, of two programs that share no library",
  "Entry": "what happened at a moment, in a list of such",
  "Heard": "what an app was told",
  "Life": "one life of a log, by its epoch",
  "Opcode": "RFC 6455's, read and written",
  "Pass": "one pass over all logs",
  "Shown": "what a public object of the SDK shows at once",
  "Target": "on what a reaction is shown",
  "Weather": "what a party's network does",
]

@Test("One name, one thing: no two types have a name in common that does not mean the same in both")
func namesMeanOneThing() {
  let files = Repository.files(under: ["Storage", "Sources", "tools"], ending: ".swift").filter {
    !$0.hasSuffix("/PublicNames.swift")
  }
  var places: [String: [String]] = [:]
  let access = "(?:(?:public|package|private|fileprivate|final|indirect) +)*"
  let pattern = "^ *\(access)(?:struct|class|enum|protocol|actor|typealias) +([A-Z]\\w*)"
  for file in files {
    for found in (Repository.text(file) ?? "").matches(pattern) { places[found[0], default: []].append(file) }
  }
  #expect(places.count > 900, "Types are found")
  let double = places.filter { $0.value.count > 1 }
  for (name, files) in double.sorted(by: { $0.key < $1.key })
  where !conventional.contains(name) && shared[name] == nil {
    Issue.record("\(name) stands for several things, in \(files.sorted().joined(separator: ", "))")
  }
  for name in shared.keys.sorted() { #expect(double[name] != nil, "\(name) needs no entry any more") }
}
