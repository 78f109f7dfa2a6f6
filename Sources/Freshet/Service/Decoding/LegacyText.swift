#if !canImport(Darwin)
import FreshetEssentials

/// Decodes texts in character sets other than those of Unicode.
///
/// FoundationEssentials only has those and Latin-1; the C library has the others.
enum LegacyText {
  /// Returns the text; `nil` if it is not valid.
  ///
  /// - Throws: ``DecodingFailure/Reason`` if the system does not have the character set.
  static func text(_ data: Data, charset: String) throws(DecodingFailure.Reason) -> String? {
    guard let converter = iconv_open("UTF-8", charset), converter != iconv_t(bitPattern: -1) else {
      throw DecodingFailure.Reason("the system does not have the character set “\(charset)”")
    }
    defer { iconv_close(converter) }
    var input = data.map { CChar(bitPattern: $0) }
    // A byte becomes at most one character, of at most four bytes.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4 * input.count + 4) { output in
      input.withUnsafeMutableBufferPointer { input in
        var source = input.baseAddress
        var sourceCount = input.count
        var target = output.baseAddress
        var space = output.count
        let failed = Int(bitPattern: UInt.max)
        guard iconv(converter, &source, &sourceCount, &target, &space) != failed,
          iconv(converter, nil, nil, &target, &space) != failed
        else { return nil }
        let bytes = UnsafeRawBufferPointer(output).prefix(output.count - space)
        return String(validating: bytes, as: UTF8.self)
      }
    }
  }
}
#endif
