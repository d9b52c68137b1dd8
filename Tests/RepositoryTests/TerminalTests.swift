import Testing

@Test("TERM-1: the commands have one way out to the terminal, which escapes; none writes past it")
func oneWayOut() {
  // Asking whether somebody reads (`fd: STDERR_FILENO`) writes nothing.
  let exit = "tools/boardroom/Terminal/Terminal.swift"
  let ways =
    "(?<![.\\w])(?:print|debugPrint|dump|puts|fputs|putchar|fwrite|printf|vprintf)\\s*\\("
    + "|standardOutput\\b(?!\\s*=)|standardError\\b(?!\\s*=)|(?<!fd: )STD(?:OUT|ERR)_FILENO|\\bstdout\\b|\\bstderr\\b|/dev/tty"
  let files = Repository.files(under: ["tools/boardroom"], ending: ".swift")
  #expect(files.contains(exit))
  for file in files where file != exit {
    let found = (Repository.text(file) ?? "").matches(ways).map { $0[0] }
    #expect(found == [], "\(file): let Terminal say it")
  }
}
