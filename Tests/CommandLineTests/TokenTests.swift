import Testing

@Test("ACC-4: a token of an account is made without a server; a name with spaces is a wrong use")
func accountTokens() async throws {
  let folder = try Folder()
  let key = ["--key", "k", "--secret", "s"]
  let made = try await Program.run(["token", "account", "anna"] + key, in: folder)
  #expect(made.status == 0)
  #expect(made.output.hasPrefix("BOARDROOMACCOUNT_"))
  let wrong = try await Program.run(["token", "account", "a b"] + key, in: folder)
  #expect(wrong.status == 64)
  #expect(wrong.errors.contains("spaces"))
}
