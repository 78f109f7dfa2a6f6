import FreshetEssentials

/// JSON5 that others have made.
///
/// A `JSONDecoder` that allows it ends the process at a word that is not UTF-8, at a number that ends with the sign of
/// its exponent, at other characters in a hexadecimal one, and at a number with nothing behind it, after which the
/// memory may go on with a digit.
enum JSON5Text {
  /// Returns a body in UTF-8, with the mark by which the decoder knows that it is, and with an end of line.
  ///
  /// - Throws: A reason if it is not text, or has such a number.
  static func checked(_ data: Data) throws -> Data {
    let text = Array(try TextEncoding.text(data, charset: charset(of: data)).utf8)
    try checkNumbers(in: text)
    return Data([0xEF, 0xBB, 0xBF] + text + [UInt8(ascii: "\n")])
  }

  /// The character set that the decoder would know by the zeros around ASCII characters.
  private static func charset(of data: Data) -> String? {
    switch data.prefix(4).map({ $0 == 0 }) {
    case [true, true, true, false]: "utf-32be"
    case [false, true, true, true]: "utf-32le"
    case [true, false, true, false], [true, false]: "utf-16be"
    case [false, true, false, true], [false, true]: "utf-16le"
    default: nil
    }
  }

  /// Looks at the numbers outside of strings, comments and keys.
  private static func checkNumbers(in text: [UInt8]) throws {
    var rest = text[...]
    while let first = rest.first {
      switch first {
      case ASCII.quote, UInt8(ascii: "'"): skipString(&rest)
      case UInt8(ascii: "/"): skipComment(&rest)
      case _ where isPartOfNumber(first) && !ASCII.isLetter(first):
        let number = rest.prefix(while: isPartOfNumber)
        guard isParsed(number) else {
          throw DecodingFailure.Reason("a number in the body has no digits where it needs some")
        }
        rest = rest[number.endIndex...]
      case _ where isPartOfKey(first): rest = rest.drop(while: isPartOfKey)
      default: rest.removeFirst()
      }
    }
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || ASCII.isLetter(byte) || "+-.".utf8.contains(byte)
  }

  private static func isPartOfKey(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || ASCII.isLetter(byte) || byte >= 0x80 || "$_\\".utf8.contains(byte)
  }

  /// Returns whether the decoder parses a number, or fails without ending the process.
  private static func isParsed(_ number: ArraySlice<UInt8>) -> Bool {
    let digits = number.drop { "+-".utf8.contains($0) }
    if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
      return digits.dropFirst(2).allSatisfy(ASCII.isHexDigit)
    }
    return number.last.map { !"+-".utf8.contains($0) } ?? true
  }

  private static func skipString(_ rest: inout ArraySlice<UInt8>) {
    let quote = rest.removeFirst()
    while let byte = rest.popFirst(), byte != quote {
      guard byte == ASCII.backslash else { continue }
      // The decoder does not look for a backslash among the digits.
      switch rest.popFirst() {
      case UInt8(ascii: "u"): rest = rest.dropFirst(4)
      case UInt8(ascii: "x"): rest = rest.dropFirst(2)
      default: break
      }
    }
  }

  private static func skipComment(_ rest: inout ArraySlice<UInt8>) {
    if rest.starts(with: "//".utf8) {
      rest = rest.drop { !"\r\n".utf8.contains($0) }
    } else if rest.starts(with: "/*".utf8) {
      rest = rest.dropFirst(2)
      while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
      rest = rest.dropFirst(2)
    } else {
      rest.removeFirst()
    }
  }
}

extension JSONDecoder {
  /// Returns a body that the decoder can be given.
  ///
  /// - Throws: A reason if it cannot.
  func checked(_ data: Data) throws -> Data {
    allowsJSON5 ? try JSON5Text.checked(data) : data
  }
}
