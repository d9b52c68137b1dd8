// The inside of JSON strings: reading escapes of text that the scanner has passed, and writing our own.

/// The value of a hexadecimal digit of either case.
func hexadecimalValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// The UTF-8 that a scanned string stands for; `inside` is what lies between its quotes.
func unescaped(_ inside: UnsafeBufferPointer<UInt8>) -> [UInt8] {
  var out: [UInt8] = []
  out.reserveCapacity(inside.count)
  var at = 0
  while at < inside.count {
    guard inside[at] == UInt8(ascii: "\\") else {
      out.append(inside[at])
      at += 1
      continue
    }
    at += 1
    switch inside[at] {
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "f"): out.append(0x0c)
    case UInt8(ascii: "n"): out.append(0x0a)
    case UInt8(ascii: "r"): out.append(0x0d)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "u"): appendEscapedScalar(inside, &at, to: &out)
    default: out.append(inside[at])
    }
    at += 1
  }
  return out
}

/// Reads `uXXXX`, or a pair of them, leaving `at` on the last digit.
private func appendEscapedScalar(_ inside: UnsafeBufferPointer<UInt8>, _ at: inout Int, to out: inout [UInt8])
{
  var code = UInt32(unit(inside, at + 1))
  at += 4
  if code & 0xfc00 == 0xd800 {
    code = 0x10000 + (code & 0x3ff) << 10 + UInt32(unit(inside, at + 3)) & 0x3ff
    at += 6
  }
  // The scanner has refused lone surrogates, so the code is a scalar.
  if let scalar = Unicode.Scalar(code) { UTF8.encode(scalar).map { out.append(contentsOf: $0) } }
}

private func unit(_ inside: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt16 {
  (start..<start + 4).reduce(0) { $0 << 4 | UInt16(hexadecimalValue(inside[$1]) ?? 0) }
}

extension [UInt8] {
  /// Appends text as a JSON string in the one form that we write: `\"`, `\\`, `\b \f \n \r \t`, other control
  /// characters as `\u00xx` with lower-case digits, everything else as it is.
  mutating func appendJSONString(_ text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        append(byte)
      } else {
        appendEscaped(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x0c: append(UInt8(ascii: "f"))
    case 0x0a: append(UInt8(ascii: "n"))
    case 0x0d: append(UInt8(ascii: "r"))
    case 0x09: append(UInt8(ascii: "t"))
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    default:
      append(contentsOf: "u00".utf8)
      append(hexadecimalDigit(byte >> 4))
      append(hexadecimalDigit(byte & 15))
    }
  }

  mutating func appendDecimal(_ value: UInt64) {
    guard value >= 10 else { return append(UInt8(ascii: "0") + UInt8(value)) }
    let start = count
    var rest = value
    while rest > 0 {
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    }
    self[start...].reverse()
  }

  mutating func appendDecimal(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    appendDecimal(value.magnitude)
  }
}

func hexadecimalDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

/// Bytes as lower-case hexadecimal digits.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  bytes.flatMap { [hexadecimalDigit($0 >> 4), hexadecimalDigit($0 & 15)] }
}

/// The bytes of lower-case hexadecimal digits; `nil` for anything else.
func bytes(hexadecimal text: String) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count % 2 == 0, !digits.contains(where: { $0 >= 0x41 && $0 <= 0x46 }) else { return nil }
  var out: [UInt8] = []
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = hexadecimalValue(digits[index]), let low = hexadecimalValue(digits[index + 1])
    else { return nil }
    out.append(high << 4 | low)
  }
  return out
}
