import BoardroomClient
import BoardroomCodec
import BoardroomModel

// White gives colours as lists of red, green and blue, whole numbers from 0 to 255 (PARITY rows MS).

extension Colour {
  /// Of red, green and blue from 0 to 255; nil for any other list.
  public init?(_ levels: [Int]) {
    let bytes = levels.compactMap { UInt8(exactly: $0) }
    guard levels.count == 3, bytes.count == 3 else { return nil }
    self.init(red: bytes[0], green: bytes[1], blue: bytes[2])
  }

  /// Red, green and blue.
  public var levels: [Int] { [Int(red), Int(green), Int(blue)] }
}

extension WhiteMemberState {
  /// Of lines: red, green, blue, 0 to 255. Another list is kept, and `setMemberState` fails with it.
  public var strokeColor: [Int]? {
    get { levels(strokeColour, "strokeColor") }
    set { strokeColour = colour(newValue, "strokeColor") }
  }

  /// Of letters, likewise.
  public var textColor: [Int]? {
    get { levels(textColour, "textColor") }
    set { textColour = colour(newValue, "textColor") }
  }

  /// Of the inside, likewise.
  public var fillColor: [Int]? {
    get { levels(fillColour, "fillColor") }
    set { fillColour = colour(newValue, "fillColor") }
  }

  private func levels(_ colour: Colour?, _ key: String) -> [Int]? {
    colour?.levels ?? other[key]?.value.array.map { $0.compactMap(\.int) }
  }

  private mutating func colour(_ levels: [Int]?, _ key: String) -> Colour? {
    let colour = levels.flatMap { Colour($0) }
    other[key] = colour == nil ? levels.map { JSONValue.array($0.map { JSONValue($0) }).text } : nil
    return colour
  }
}
