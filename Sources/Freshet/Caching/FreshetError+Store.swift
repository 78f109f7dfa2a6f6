extension FreshetError {
  /// That of a store for what it has no room for, however empty it is.
  static let tooLargeForStore = FreshetError.store("the response is larger than the store takes")

  /// The failure of a store that this one, below it, has caused.
  func store(_ what: String) -> FreshetError {
    switch self {
    case .file(let reason, let path): .store("\(what) at \(path): \(reason)")
    case .store: self
    default: .store("\(what): \(self)")
    }
  }

  /// The words of ``store(_:)``.
  var storeReason: String {
    if case .store(let reason) = self { reason } else { "\(self)" }
  }
}
