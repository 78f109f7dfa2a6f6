extension FreshetError {
  /// Returns the failure for a value that could not be encoded: its path and type, never the value itself.
  static func unencodable(_ what: String, _ error: any Error) -> FreshetError {
    if let error = error as? FreshetError { return error }
    guard case EncodingError.invalidValue(let value, let context) = error else {
      return .invalidRequest("its \(what) could not be encoded (\(type(of: error)))", url: "")
    }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    let place = path.isEmpty ? "" : " at “\(path)”"
    let reason = "its \(what) could not be encoded: the value\(place) is a \(type(of: value)) "
    return .invalidRequest(reason + "that cannot be written", url: "")
  }

  /// The reason why a request is not valid, or `nil` for any other error.
  var invalidity: String? {
    if case .invalidRequest(let reason, _) = self { reason } else { nil }
  }
}
