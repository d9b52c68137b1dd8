import BoardroomClient
import BoardroomCore
import BoardroomModel

// The same client, awaited. Each call starts what the callback's method starts and waits for the callback that ends it;
// callbacks are called all the same. A cancelled task waits no longer and gets the code that says that no answer came.

extension SignalingClient {
  /// Signs in, or throws why not; `loginAlready` if it is signed in, also while it is on its way back. A cancelled task signs out,
  /// and throws `loginCancelled`.
  nonisolated(nonsending) public func login(account: String, token: String) async throws(SignalingCode) {
    switch await core.ask({ $0.status }) {
    case .loggedIn, .reconnecting: throw .loginAlready
    case .loggedOut, .loggingIn: break
    }
    let appId = configuration.appId
    try await first(orWhenCancelled: .loginCancelled, withdraw: { $0.logout() }) {
      $0.login(appId, account: account, token: token)
    } that: { event in
      if case .loginSuccess = event { return .success(()) }
      if case .loginFailed(let code) = event { return .failure(code) }
      return nil
    }
  }

  /// Signs out; gives the code of `onLogout`.
  nonisolated(nonsending) public func logoutAndWait() async -> SignalingCode {
    let code: SignalingCode? = try? await first(orWhenCancelled: .logoutOther) {
      $0.logout()
    } that: { event in
      if case .logout(let code) = event { return .success(code) }
      if case .loginFailed(let code) = event { return .success(code) }
      return nil
    }
    return code ?? .logoutOther
  }

  /// Joins; gives the newest 200 accounts, oldest first. Throws the code of `onChannelJoinFailed`.
  /// In the channel already: the same at once.
  @discardableResult
  nonisolated(nonsending) public func join(_ channelID: String) async throws(SignalingCode) -> [String] {
    try await first(orWhenCancelled: .joinChannelOther) {
      $0.channelJoin(channelID)
    } that: { event in
      if case .channelJoined(channelID) = event { return .success(()) }
      if case .channelJoinFailed(channelID, let code) = event { return .failure(code) }
      return nil
    }
    return await core.ask { $0.users(of: channelID) }
  }

  /// Leaves; gives the code of `onChannelLeaved`.
  @discardableResult
  nonisolated(nonsending) public func leave(_ channelID: String) async throws(SignalingCode) -> SignalingCode
  {
    try await first(orWhenCancelled: .leaveChannelOther) {
      $0.channelLeave(channelID)
    } that: { event in
      if case .channelLeaved(channelID, let code) = event { return .success(code) }
      if case .error("channelLeave", let code, _) = event { return .failure(code) }
      return nil
    }
  }

  /// Sends to an account; returns once it is in its log.
  nonisolated(nonsending) public func send(_ msg: String, to account: String, msgID: String)
    async throws(SignalingCode)
  {
    try await sent(msgID) { $0.messageInstantSend(account, msg: msg, msgID: msgID) }
  }

  /// Sends to everybody in the channel; returns once it is in its log.
  nonisolated(nonsending) public func send(_ msg: String, in channelID: String, msgID: String)
    async throws(SignalingCode)
  {
    try await sent(msgID) { $0.messageChannelSend(channelID, msg: msg, msgID: msgID) }
  }

  nonisolated(nonsending) private func sent(_ id: String, _ start: (SignalingClient) -> Void)
    async throws(SignalingCode)
  {
    try await first(orWhenCancelled: .sendMessageTimeout, start) { event in
      if case .messageSendSuccess(id) = event { return .success(()) }
      if case .messageSendError(id, let code) = event { return .failure(code) }
      return nil
    }
  }

  /// Starts something and waits for the callback that ends it.
  nonisolated(nonsending) private func first<Value: Sendable>(
    orWhenCancelled cancelled: SignalingCode, withdraw: (SignalingClient) -> Void = { _ in },
    _ start: (SignalingClient) -> Void, that ends: (SignalingEvent) -> Result<Value, SignalingCode>?
  ) async throws(SignalingCode) -> Value {
    guard !Task.isCancelled else { throw cancelled }
    let events = events
    start(self)
    for await event in events {
      if let result = ends(event) { return try result.get() }
    }
    guard Task.isCancelled else {
      // The client was destroyed.
      throw .notLogin
    }
    withdraw(self)
    throw cancelled
  }
}
