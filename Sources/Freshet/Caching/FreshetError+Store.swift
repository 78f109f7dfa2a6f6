extension FreshetError {
  /// The failure of a store for a response that exceeds its limits, however empty the store is.
  static let tooLargeForStore = FreshetError.store("the response is larger than the store takes")

  /// Returns the failure of a store that was caused by this lower-level one.
  func store(_ what: String) -> FreshetError {
    switch self {
    case .file(let reason, let path): .store("\(what) at \(path): \(reason)")
    case .store: self
    default: .store("\(what): \(self)")
    }
  }

  /// The reason of ``store(_:)``, or a description of any other failure.
  var storeReason: String {
    if case .store(let reason) = self { reason } else { "\(self)" }
  }
}
