/// One measured figure and the value with which it is compared.
struct Figure {
  var what: String
  var measured: String
  var limit: String
  var goal: String
  /// Whether the goal is met; nil if this run cannot tell.
  var met: Bool?

  init(_ what: String, _ measured: String, limit: String = "", goal: String = "", met: Bool? = nil) {
    self.what = what
    self.measured = measured
    self.limit = limit
    self.goal = goal
    self.met = met
  }
}

/// Prints figures as a Markdown table, or as one JSON object a line.
struct Report {
  var json = false

  func head(_ title: String) {
    guard !json else { return }
    print("\n### \(title)\n\n| what | measured | limit in the same run | goal | |\n|---|---|---|---|---|")
  }

  func row(_ figure: Figure) {
    let verdict = figure.met.map { $0 ? "met" : "missed" } ?? ""
    guard json else {
      print("| \(figure.what) | \(figure.measured) | \(figure.limit) | \(figure.goal) | \(verdict) |")
      return
    }
    let fields = [
      ("what", figure.what), ("measured", figure.measured), ("limit", figure.limit), ("goal", figure.goal),
      ("verdict", verdict),
    ]
    print("{" + fields.map { "\"\($0.0)\":\"\($0.1)\"" }.joined(separator: ",") + "}")
  }
}

extension Double {
  func fixed(_ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let rounded = (self * scale).rounded() / scale
    let text = String(rounded)
    guard digits > 0 else { return String(text.prefix { $0 != "." }) }
    let parts = text.split(separator: ".")
    guard parts.count == 2, !text.contains("e") else { return text }
    let fraction = String(parts[1].prefix(digits))
    return parts[0] + "." + fraction + String(repeating: "0", count: digits - fraction.count)
  }

  var microseconds: String { (self * 1e6).fixed(1) + " µs" }
  var milliseconds: String { (self * 1e3).fixed(2) + " ms" }
}
