import BoardroomModel

extension Refusal {
  /// Whether the same attempt may succeed a little later, without anyone changing anything.
  var isPassing: Bool {
    switch code {
    case .roomsFull, .rateLimited, .logFull, .goingAway, .tooSlowHello, .internalFailure, .timeout,
      .networkLost, .pending, .conflict, .connectionLimit:
      true
    case .tokenInvalid, .tokenExpired, .forbidden, .banned, .writerLimit, .notFound, .unsupportedVersion,
      .badName, .badParameter, .malformed, .tooLarge, .unknownKind, .outOfOrder, .notConnected,
      .notWritable, .notMember, .noBroadcaster, .noSuchScene, .noSuchElement, .replaced, .kicked,
      .membersFull, .tooMany, .locked, .nothingToUndo, .peerOffline, .repeatedInvite, .noSuchInvite,
      .notRecorded:
      false
    }
  }
}
