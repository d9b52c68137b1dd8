import BoardroomCore
import BoardroomModel

/// What one space asks of another, as a value: the host of the asked space answers it (`SpaceHost.answer`).
///
/// An asker that has no answer asks again under the same number (`SpaceExchange`), so that the asked loop knows it and
/// applies it once. Where the asker is at another node, the asked space may have another owner by then: what that must know
/// is in the log with what followed from the question (`questionApplied`, ADR 0061). Each case says what else makes asking
/// twice harmless, and which answers it has beside `refused` and `unreachable`.
package enum SpaceQuestion: Sendable, Hashable, Codable {
  // MARK: Reading. Nothing changes, so that asking twice is harmless.

  /// Of an account: whether it is signed in to the service. `yes` or `no`.
  case isSignedIn(Service)
  /// Of an account: the attributes of its login. `reply`.
  case loginAttributes(Service)
  /// Of a channel. `reply`.
  case channelAttributes
  /// Of a channel: how many are in it. `reply`.
  case memberCount
  /// Of a channel: whether the account is in it. `reply`.
  case hasMember(String)
  /// Of a channel: its newest members. `reply`.
  case newestMembers(Int)
  /// Of a channel, by the account that stands in its own log as in it: whether it is, once the log holds that. `yes` or
  /// `no`.
  case holdsMember(account: String)
  /// Of an account, by the channel: whether its login is in it. `standing`.
  case standing(MembershipKey)
  /// Of a caller's account, by the callee: whether the invitation goes on, or its end is still on the way. `yes` or `no`.
  case isOpen(serial: UInt64, callee: String)
  /// Of any space: to be opened, so that it does what is left to do. `done`.
  case wake

  // MARK: Changing

  /// Of a channel, by an account that need not be in it. `done`. Only its number tells a message that is said again:
  /// two of one name are two. The log holds the number.
  case change(SpaceCommand, by: String)
  /// Of an account: to take a message into its mailbox, also (`holds`) if nobody is signed in. `done`. The log holds
  /// sender, name and text of what is in the mailbox, and the same once more is no second one (ACC-14). It holds the number,
  /// too, for what was taken out meanwhile.
  case message(InboxMessage, holds: Bool)
  /// Of an account, for a hello: to let its login into the channel. `entered`. The log holds `channelEntered` once;
  /// entering again gives a newer number, and an older one ends nothing.
  case enter(Place)
  /// Of a channel: the account's login is over or elsewhere. `done`. Ends the member that came in by an entry up to this
  /// one; who came later stays, and who is gone is gone.
  case dismiss(account: String, LeaveCause, through: UInt64)
  /// Of an account: the member that came in by the entry has left the channel. `done`. Counts for the newest entry only;
  /// without a number the account asks the channel itself where it knows of an entry.
  case left(MembershipKey, entry: UInt64?, LeaveCause)
  /// Of a callee: to take an offer. `yes`, or `no`: nobody is there. `until`, in milliseconds of the server's clock: the
  /// callee's loop remembers the caller until then, also if the account is not there yet. The log holds the call by
  /// caller and serial, and the number of the question for one that has ended.
  case offer(InviteHeard, until: Int64?)
  /// Of a callee: to hear what became of an invitation, in one order with the offers. `done`. An ended call is in the log no
  /// longer, and nothing is heard of it; tones are known by the number of the question, which the log holds.
  case news(InviteHeard)
  /// Of a caller's account, by the callee: a step of the invitation. `done`. The log holds the step that it stands at, and
  /// the number of the question for tones, and for an invitation that is over by it.
  case act(InvitationMachine.Input, serial: UInt64, callee: String, Service)
  /// Of a caller's account: the login that was called is over. `yes`, the invitation goes on, or `no`. What has ended
  /// does not end again.
  case calleeGone(serial: UInt64, callee: String)
  /// Of a caller's account: the callee has signed in. `done`. Offers again what is not offered yet: the callee counts one
  /// offer once.
  case calleeCame(serial: UInt64)
  /// Of a channel that tells of everything, one batch after the other. `done`. Only its number tells a batch that comes
  /// again. The log holds the number.
  case presences([Presence])

  /// Whether its answer is kept until the asker has it. What only reads is read again.
  var changes: Bool {
    switch self {
    case .isSignedIn, .loginAttributes, .channelAttributes, .memberCount, .hasMember, .newestMembers,
      .holdsMember, .standing, .isOpen, .wake:
      false
    case .change, .message, .enter, .dismiss, .left, .offer, .news, .act, .calleeGone, .calleeCame,
      .presences:
      true
    }
  }

  /// What is answered where the log says that it was carried out already; nil: the log does not hold its number.
  var answerOnceApplied: SpaceAnswer? {
    switch self {
    case .change, .message, .news, .act, .presences: .done
    case .offer: .yes
    case .isSignedIn, .loginAttributes, .channelAttributes, .memberCount, .hasMember, .newestMembers,
      .holdsMember, .standing, .isOpen, .wake, .enter, .dismiss, .left, .calleeGone, .calleeCame:
      nil
    }
  }

  /// Whether a space that is not open is opened for it; else there is nothing to do, and it is done.
  var opens: Bool {
    if case .calleeCame = self { false } else { true }
  }

  /// Whether the server itself has the space made if it is not there, and nobody pays.
  var makes: Bool {
    if case .presences = self { true } else { false }
  }
}

/// What a space answers.
package enum SpaceAnswer: Sendable, Hashable, Codable {
  /// It is in the log, or was before.
  case done
  case yes
  case no
  /// What the asking login is told.
  case reply(Reply)
  /// A login was let into a channel, by this entry.
  case entered(UInt64)
  /// Why a login is not in a channel, nil if it is; and the newest entry by which it was let in, where that is known.
  case standing(LeaveCause?, entry: UInt64?)
  /// The space does not want to, or could not keep it.
  case refused(Refusal)
  /// The space is not there, cannot be opened, or did not answer in time.
  case unreachable(Refusal)
  /// The question came again while the first was being answered; the answer follows.
  case underWay
  /// The space's log has another owner, or is about to: it is asked again there. Of several nodes only.
  case moving
}

/// A login's place in a channel, as its account's host knows it.
package struct MembershipKey: Sendable, Hashable, Codable, Comparable {
  package var service: Service
  package var channel: String

  package init(service: Service, channel: String) {
    (self.service, self.channel) = (service, channel)
  }

  var isSpecial: Bool { SpaceName.channel(service, channel).isSpecial }

  package static func < (left: MembershipKey, right: MembershipKey) -> Bool {
    (left.service.rawValue, left.channel) < (right.service.rawValue, right.channel)
  }
}
