extension FreshetError {
  /// Why something could not be encoded: where and of which type, never its value.
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

  /// Why a request is not valid, if it is that.
  var invalidity: String? {
    if case .invalidRequest(let reason, _) = self { reason } else { nil }
  }
}
