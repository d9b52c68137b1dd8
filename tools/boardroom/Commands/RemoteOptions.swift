import ArgumentParser
import BoardroomClient
import BoardroomReplay
import EventLogModel
import Foundation

/// Options of commands that read a data folder, or in its place the logs of a server on another machine.
struct RemoteOptions: ParsableArguments {
  @Option(
    help:
      "Read the log of this server over HTTP in place of a folder; of several, with commas between, the first that answers."
  )
  var server: String?
  @Option(
    help:
      "With --server: an SDK token, or a token of the room; else $BOARDROOM_TOKEN, else $BOARDROOM_SDK_TOKEN; else one is made with the key in the data folder."
  )
  var token: String?
  @OptionGroup var trust: TrustOption

  func validate() throws {
    guard server != nil || token == nil && trust.trust == nil else {
      throw ValidationError("--token and --trust go with --server: a folder needs none of them.")
    }
  }

  /// Calls `work` with the server's logs, or with those of the folder if no server is named.
  func reading<Value>(
    _ folder: FolderOption, _ work: (any LogStore) async throws -> Value
  ) async throws -> Value {
    guard let server else { return try await folder.reading(work) }
    let variables = ProcessInfo.processInfo.environment
    let given = token ?? variables["BOARDROOM_TOKEN"] ?? variables["BOARDROOM_SDK_TOKEN"]
    if given == nil { _ = try folder.sdkToken() }
    let named = await NamedServer.answering(try LiveOptions.servers(server), trust: try trust.roots())
    return try await named.reading({ try given ?? folder.sdkToken() }, work)
  }
}

extension NamedServer {
  /// Calls `work` with the server's logs; `token` is asked for each request.
  func reading<Value>(
    _ token: @escaping @Sendable () throws -> String, _ work: (any LogStore) async throws -> Value
  ) async throws -> Value {
    let store = RemoteLogStore(endpoint, trust: trust, token: token)
    do {
      return try await work(store)
    } catch {
      // The store's own words do not say why a server has no answer.
      guard Self.isStop(error), let failure = store.failure else { throw error }
      // What a server would not say itself.
      let isNetwork = [.networkLost, .badParameter, .malformed].contains(failure.code)
      if isNetwork, let trouble = await trouble() { throw trouble }
      throw failure
    }
  }

  private static func isStop(_ error: any Error) -> Bool {
    switch error {
    case LogError.stopped, ReplayError.log(.stopped), is ReplaySourceError: true
    default: false
    }
  }
}
