extension FreshetError {
  /// Returns the failure of a store that was caused by this lower-level one.
  func store(_ what: String) -> FreshetError {
    switch self {
    case .file(let reason, let path): .store("\(what) at \(path): \(reason)")
    case .store: self
    default: .store("\(what): \(self)")
    }
  }

  /// The failure of a store; `nil` for any other error.
  var storeFailure: StoreFailure? {
    if case .store(let failure) = self { failure } else { nil }
  }

  /// The words of the failure of a store, or the whole sentence of any other error.
  var storeReason: String { storeFailure?.description ?? "\(self)" }
}
