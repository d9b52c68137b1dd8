import EventLogModel

/// What the app's view is to let its user do (CA-4). The SDK has no devices: it keeps the switches.
public struct WhiteInputs: Sendable, Hashable {
  /// Whether gestures do not move the camera.
  public var isCameraTransformDisabled = false
  /// Whether devices do not draw.
  public var isDeviceInputsDisabled = false

  init() {}

  init(_ options: WhiteRoomViewOptions) {
    isCameraTransformDisabled = options.disableCameraTransform
    isDeviceInputsDisabled = options.disableDeviceInputs
  }
}

extension WhiteRoom {
  /// What the app's view is asked not to take.
  public var inputs: WhiteInputs { shown.with { $0.inputs } }

  /// Asks the app's view to move no camera, or to move it again.
  public func disableCameraTransform(_ disabled: Bool) {
    shown.with { $0.inputs.isCameraTransformDisabled = disabled }
  }

  /// Asks the app's view to take no touches, mouse and keys, or to take them again.
  public func disableDeviceInputs(_ disabled: Bool) {
    shown.with { $0.inputs.isDeviceInputsDisabled = disabled }
  }

  /// Both at once.
  public func disableOperations(_ disabled: Bool) {
    disableCameraTransform(disabled)
    disableDeviceInputs(disabled)
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
