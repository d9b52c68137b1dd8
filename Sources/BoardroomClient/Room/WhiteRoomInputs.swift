import EventLogModel

/// What the app's view is to let its user do (CA-4). The SDK has no devices: it keeps the switches.
public struct WhiteInputs: Sendable, Hashable {
  /// Whether gestures move the camera.
  public var isCameraTransformEnabled = true
  /// Whether devices draw.
  public var isDeviceInputEnabled = true

  init() {}

  init(_ options: WhiteRoomViewOptions) {
    isCameraTransformEnabled = options.isCameraTransformEnabled
    isDeviceInputEnabled = options.isDeviceInputEnabled
  }
}

extension WhiteRoom {
  /// What the app's view is asked to take.
  public var inputs: WhiteInputs { shown.with { $0.inputs } }

  /// Says whether gestures in the app's view are to move the camera.
  public func setCameraTransform(enabled: Bool) {
    shown.with { $0.inputs.isCameraTransformEnabled = enabled }
  }

  /// Says whether the app's view is to take touches, mouse and keys.
  public func setDeviceInput(enabled: Bool) {
    shown.with { $0.inputs.isDeviceInputEnabled = enabled }
  }

  // MARK: Keeping step

  /// Shows what others do so many seconds later: content, magix events and pointers. What this client does itself
  /// is shown as ever (SY-1). Receipts, phases and whether it may write are not delayed either.
  public func setTimeDelay(_ seconds: Double) {
    let delay = Duration.milliseconds(Int64(max(0, seconds * 1_000).clamped))
    shown.with { $0.timeDelay = delay }
    link.enter { $0.setDelay(delay) }
  }

  /// In seconds.
  public var timeDelay: Double { Double(shown.with { $0.timeDelay }.wholeMilliseconds) / 1_000 }
}
