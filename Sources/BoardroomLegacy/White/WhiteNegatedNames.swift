import BoardroomClient

// White says of each switch whether it is off. `BoardroomClient` says whether it is on; these are the same switches.

extension WhiteRoom {
  /// EL-5: texts can be neither put nor changed by this client until it is called with false.
  public func disableTextOperations(_ disabled: Bool) { setTextEditing(enabled: !disabled) }

  /// EL-3: whether `erase` and `deleteSelection` of this client pass images over.
  public func disableEraseImage(_ disabled: Bool) { setImageErasing(enabled: !disabled) }

  /// Asks the app's view to move no camera, or to move it again.
  public func disableCameraTransform(_ disabled: Bool) { setCameraTransform(enabled: !disabled) }

  /// Asks the app's view to take no touches, mouse and keys, or to take them again.
  public func disableDeviceInputs(_ disabled: Bool) { setDeviceInput(enabled: !disabled) }

  /// Both at once.
  public func disableOperations(_ disabled: Bool) {
    disableCameraTransform(disabled)
    disableDeviceInputs(disabled)
  }
}

extension WhiteInputs {
  /// Whether gestures do not move the camera.
  public var isCameraTransformDisabled: Bool {
    get { !isCameraTransformEnabled }
    set { isCameraTransformEnabled = !newValue }
  }

  /// Whether devices do not draw.
  public var isDeviceInputsDisabled: Bool {
    get { !isDeviceInputEnabled }
    set { isDeviceInputEnabled = !newValue }
  }
}

extension WhiteRoomConfig {
  /// Whether magix events go out as fast as they are dispatched, not one in 75 ms (ME-10).
  public var disableMagixEventDispatchLimit: Bool {
    get { !isMagixEventLimitEnabled }
    set { isMagixEventLimitEnabled = !newValue }
  }

  /// EL-3 from the beginning.
  public var disableEraseImage: Bool {
    get { !isImageErasingEnabled }
    set { isImageErasingEnabled = !newValue }
  }

  /// EL-5 from the beginning: whether text cannot be put or changed by this member.
  public var disableTextOperations: Bool {
    get { !isTextEditingEnabled }
    set { isTextEditingEnabled = !newValue }
  }
}

extension WhiteRoomViewOptions {
  /// Whether the app's view takes no touches, mouse and keys.
  public var disableDeviceInputs: Bool {
    get { !isDeviceInputEnabled }
    set { isDeviceInputEnabled = !newValue }
  }

  /// Whether the app's view moves no camera.
  public var disableCameraTransform: Bool {
    get { !isCameraTransformEnabled }
    set { isCameraTransformEnabled = !newValue }
  }

  /// Whether the app's view draws strokes without curves.
  public var disableBezier: Bool {
    get { !isBezierEnabled }
    set { isBezierEnabled = !newValue }
  }

  /// Whether the app's view draws with the older pencil.
  public var disableNewPencil: Bool {
    get { !isNewPencilEnabled }
    set { isNewPencilEnabled = !newValue }
  }
}
