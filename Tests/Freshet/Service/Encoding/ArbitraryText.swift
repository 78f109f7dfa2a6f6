/// A generator of the test's own: the same numbers for the same seed, on every platform.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension SplitMix {
  /// Text of any Unicode scalars, among them those that have a meaning somewhere.
  mutating func text(_ counts: ClosedRange<Int> = 0...12) -> String {
    var text = ""
    for _ in 0..<Int.random(in: counts, using: &self) {
      text.unicodeScalars.append(scalar())
    }
    return text
  }

  private mutating func scalar() -> Unicode.Scalar {
    let special = Array(
      "/?#%&=+;:,.[]{}\"'\\ \r\n\t\0-_~*@!$()|^`<>é\u{301}😀\u{FEFF}".unicodeScalars
    )
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return special.randomElement(using: &self) ?? "?"
    case 1: return Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &self))
    default: return Unicode.Scalar(UInt32.random(in: 0...0x10_FFFF, using: &self)) ?? "\u{FFFD}"
    }
  }
}

/// Undoes percent-encoding as a server does; `+` is a space only in forms.
func percentDecoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
  var bytes: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    if byte == UInt8(ascii: "%") {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    } else {
      bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
    }
  }
  return String(validating: bytes, as: UTF8.self)
}

/// Whether both are the same scalars; `==` holds for different encodings of a letter too.
func isSame(_ left: String?, _ right: String?) -> Bool {
  guard let left, let right else { return left == nil && right == nil }
  return left.utf8.elementsEqual(right.utf8)
}
