/// Lets the conformance kit see what an app does with its SDK, and hear what its callbacks object hears, without the
/// app knowing. Called on the SDK's context or by whoever joins.
package struct SDKWatch: Sendable {
  /// What is called in place of the app's object, which it has to call in turn; nil where there is none.
  package var listen: @Sendable ((any WhiteRoomCallbackDelegate)?) -> (any WhiteRoomCallbackDelegate)?
  /// The app joins: the room that its join made, or nil if that was refused because another is under way.
  package var joined: @Sendable (WhiteRoom?) -> Void

  package init(
    listen:
      @escaping @Sendable ((any WhiteRoomCallbackDelegate)?) -> (any WhiteRoomCallbackDelegate)? = { $0 },
    joined: @escaping @Sendable (WhiteRoom?) -> Void = { _ in }
  ) {
    self.listen = listen
    self.joined = joined
  }
}
