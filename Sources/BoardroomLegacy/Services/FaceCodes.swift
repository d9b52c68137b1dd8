import BoardroomClient
import BoardroomModel

/// What each face calls a refusal (docs/PROTOCOL.md, section 9): the one table of all faces.
struct FaceCodes: Sendable, Hashable {
  var rtc: RtcConnectionReason
  var rtm: RtmErrorCode
  var signaling: Signaling
  /// Why a stay in a channel is over that ends with it.
  var leave: ChannelLeaveCause

  /// Signaling says the same in other numbers at different places.
  struct Signaling: Sendable, Hashable {
    var login: SignalingCode
    var message: SignalingCode
    var query: SignalingCode
    var invite: SignalingCode
    var general: SignalingCode

    var logout: SignalingCode {
      if login == .loginTokenKicked { return .logoutKicked }
      return login == .loginTokenExpired ? .logoutTokenExpired : .logoutOther
    }
  }

  private init(
    _ rtc: RtcConnectionReason, _ rtm: RtmErrorCode, login: SignalingCode = .loginFailed,
    message: SignalingCode = .sendMessageOther, query: SignalingCode = .queryUserNumOther,
    invite: SignalingCode = .inviteOther, general: SignalingCode, leave: ChannelLeaveCause = .offline
  ) {
    self.rtc = rtc
    self.rtm = rtm
    self.leave = leave
    signaling = Signaling(login: login, message: message, query: query, invite: invite, general: general)
  }

  init(_ code: RefusalCode) {
    switch code {
    case .tokenInvalid:
      self.init(.invalidToken, .invalidToken, login: .loginTokenWrong, general: .failed)
    case .tokenExpired:
      self.init(.tokenExpired, .tokenExpired, login: .loginTokenExpired, general: .failed)
    case .forbidden: self.init(.rejectedByServer, .notAuthorized, general: .failed, leave: .kicked)
    case .banned: self.init(.bannedByServer, .rejected, general: .failed, leave: .kicked)
    case .writerLimit, .notFound, .roomsFull, .membersFull, .connectionLimit, .unsupportedVersion,
      .tooSlowHello:
      self.init(.rejectedByServer, .rejected, general: .failed)
    case .badName:
      self.init(.invalidChannelName, .invalidArgument, login: .loginInvalidUser, general: .wrongParam)
    case .badParameter, .malformed, .unknownKind:
      self.init(
        .rejectedByServer, .invalidArgument, message: .wrongParam, query: .wrongParam, invite: .wrongParam,
        general: .wrongParam)
    case .tooLarge:
      self.init(
        .rejectedByServer, .messageTooLong, message: .largeParam, invite: .largeParam, general: .largeParam)
    case .rateLimited: self.init(.rejectedByServer, .tooOften, general: .failed)
    case .timeout:
      self.init(
        .joinFailed, .timeout, login: .loginNet, message: .sendMessageTimeout, query: .queryUserNumTimeout,
        invite: .inviteTimeout, general: .failed)
    case .notConnected:
      self.init(
        .interrupted, .notLoggedIn, login: .loginNet, message: .sendMessageTimeout, query: .notLogin,
        invite: .inviteNet, general: .notLogin)
    case .networkLost, .goingAway:
      self.init(
        .joinFailed, .timeout, login: .loginNet, message: .sendMessageTimeout, query: .queryUserNumTimeout,
        invite: .inviteNet, general: .failed)
    case .notMember: self.init(.rejectedByServer, .notInChannel, general: .failed)
    case .replaced:
      self.init(.sameUidLogin, .rejected, login: .loginTokenKicked, general: .failed, leave: .replaced)
    case .kicked: self.init(.bannedByServer, .rejected, general: .failed, leave: .kicked)
    case .peerOffline:
      self.init(
        .rejectedByServer, .peerUnreachable, message: .sendMessageTimeout, invite: .invitePeerOffline,
        general: .failed)
    case .repeatedInvite:
      self.init(.rejectedByServer, .invitationAlreadySent, invite: .inviteAgain, general: .failed)
    case .noSuchInvite: self.init(.rejectedByServer, .noSuchInvitation, general: .failed)
    case .internalFailure: self.init(.rejectedByServer, .unknown, login: .loginOther, general: .unknown)
    case .tooMany, .outOfOrder, .notWritable, .conflict, .pending, .noBroadcaster, .noSuchScene,
      .noSuchElement, .locked, .nothingToUndo, .logFull, .notRecorded:
      self.init(.rejectedByServer, .rejected, general: .failed)
    }
  }
}
