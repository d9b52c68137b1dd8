import BoardroomClient

/// Signaling's codes (PARITY rows SIGE). Those that its last servers no longer sent are left out: 104, 106, 107, 205, 502, 705.
public enum SignalingCode: Int, Error, Sendable, Hashable, CaseIterable {
  case success = 0
  case logoutOther = 100
  case logoutUser = 101
  case logoutNet = 102
  case logoutKicked = 103
  case logoutTokenExpired = 105
  case logoutAlready = 108
  case loginOther = 200
  case loginNet = 201
  case loginFailed = 202
  case loginCancelled = 203
  case loginTokenExpired = 204
  case loginTokenWrong = 206
  case loginTokenKicked = 207
  case loginAlready = 208
  case loginInvalidUser = 209
  case joinChannelOther = 300
  case sendMessageOther = 400
  case sendMessageTimeout = 401
  case queryUserNumOther = 500
  case queryUserNumTimeout = 501
  case leaveChannelOther = 600
  case leaveChannelKicked = 601
  case leaveChannelByUser = 602
  case leaveChannelLogout = 603
  case leaveChannelDisconnected = 604
  case inviteOther = 700
  case inviteAgain = 701
  case inviteNet = 702
  case invitePeerOffline = 703
  case inviteTimeout = 704
  /// GENERAL_E. S5 gives it no number and the meaning of `unknown`, which is what is told.
  case general = 1000
  case failed = 1001
  case unknown = 1002
  case notLogin = 1003
  case wrongParam = 1004
  case largeParam = 1005
}
