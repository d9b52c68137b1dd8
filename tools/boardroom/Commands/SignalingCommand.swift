import ArgumentParser
import BoardroomClient
import BoardroomLegacy
import Foundation

struct SignalingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signaling",
    abstract: "Sign an account in to Signaling and talk from the terminal.",
    discussion: """
      Lines of standard input are the methods of legacy Signaling by their names, their arguments after them; lines of
      standard output are its callbacks. It signs in first. At the end of the input, and on Ctrl-C, it signs
      out and ends. Besides the methods, listed below:

        login                 sign in again, after a logout
        wait CALLBACK [TEXT]  go on when this callback has come with this in its line; those before it are passed over
        pause SECONDS         go on later
        repeat COUNT METHOD…  the same so often and at once; {n} is the number
        help, quit

      Messages are called msg1, msg2…; so are calls of invoke. With --stay a program that was killed comes back as who it \
      was: within the grace nobody else notices. There is no telephone network behind calls to phones and tones.

      Examples:
        boardroom signaling anna
        boardroom signaling anna --server wss://talk.example.com --token "$TOKEN" --stay anna.stay
        printf 'channelJoin lobby\\nwait onChannelUserList\\nmessageChannelSend lobby hello\\n' \
      | boardroom signaling bert --json

      Methods:
      \(Order.help)
      """)

  @Argument(help: "The account: visible characters, no spaces, up to 128 bytes.") var account: String
  @Option(help: "The application's id; the server does not ask for it.") var app = "boardroom"
  @OptionGroup var live: LiveOptions
  @Flag(help: "Sign in with _no_need_token, where the server has accounts.open.") var noToken = false
  @Option(
    help: ArgumentHelp("File in which the stay is kept, for coming back after a kill.", valueName: "file"))
  var stay: String?
  @Option(help: .duration("How long `wait` waits. A number alone is in seconds.")) var patience = TimeSpan(
    "1m")
  @Option(
    help: ArgumentHelp(
      "How many times as fast clocks run; for tests.", valueName: "factor", visibility: .hidden))
  var speed = Speed.usual
  @Flag(help: "Machine-readable output: one object a callback, with its time.") var json = false
  @Flag(help: "Nothing on standard error.") var quiet = false

  func validate() throws {
    if speed.ofClocks == nil { throw ValidationError("--speed of clocks is a whole number from 1 to 1000.") }
  }

  func run() async throws {
    try await answering {
      let talk = try SignalingTalk(settings())
      try await live.reach(waiting: false, quiet: quiet)
      do {
        try await untilInterrupted { try await talk.run() }
      } catch {
        await talk.end()
        throw error
      }
      await talk.end()
    }
  }

  private func settings() throws -> SignalingTalk.Settings {
    let token = noToken ? SignalingClient.noTokenNeeded : try live.accountToken(for: account)
    return SignalingTalk.Settings(
      account: account, token: token,
      service: ServiceConfiguration(
        appId: app, servers: try live.servers(), client: LiveOptions.client, trust: try live.trust.roots(),
        stays: try stay.map { try StayFile($0) }),
      patience: patience.duration(), speed: speed.ofClocks ?? 1, json: json, quiet: quiet)
  }
}
