import FreshetEssentials

/// Property lists that others have made.
///
/// `PropertyListDecoder` ends the process at a count that is too large and at text that is not UTF-8,
/// and needs more stack than a thread has for a list that is nested deeply or contains itself.
enum PropertyList {
  /// The largest number of arrays and dictionaries in each other: of a stack of 512 KiB, the decoder
  /// needs a quarter for them.
  static let depthLimit = 128

  static let tooDeep = DecodingFailure.Reason(
    "the property list is nested more than \(depthLimit) levels deep"
  )

  /// Decodes a list, as XML or binary.
  ///
  /// - Throws: The decoder's error, or a reason if the list is not for the decoder.
  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let isBinary = data.starts(with: "bplist".utf8)
    let list = isBinary ? try BinaryPropertyList.checked(data) : try XMLPropertyList.checked(data)
    return try PropertyListDecoder().decode(type, from: list)
  }
}
