import BoardroomClient

/// Names of messages to users of which nobody knows whether they arrived. RTM tells an app to send such a message again, and
/// has no names for messages in its interface: the same text to the same user goes under the same name again, once.
struct UnsettledNames {
  struct Message: Hashable {
    var peer: String
    var text: String
  }

  /// How many are kept; then the oldest go.
  static let limit = 64
  private var names: [(message: Message, name: String)] = []

  mutating func keep(_ name: String, of message: Message) {
    names.append((message, name))
    if names.count > Self.limit { names.removeFirst() }
  }

  mutating func takeName(of message: Message) -> String? {
    names.firstIndex { $0.message == message }.map { names.remove(at: $0).name }
  }
}
