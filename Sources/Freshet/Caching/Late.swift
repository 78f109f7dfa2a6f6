/// The reason why a response comes too late to be stored.
enum Late: String, Sendable {
  /// It was requested before its key was invalidated.
  case invalidated = "the resource has been changed since it was asked for"
  /// The stored one is newer.
  case older = "a newer response is stored"
  /// The body that was validated has been removed.
  case removed = "its body is not stored any more"
  /// The body that was validated is no longer the stored one.
  case replaced = "another body is stored by now"

  /// It was requested before its key, or everything, was removed.
  case cleared = "what is stored for it has been removed since it was asked for"

  /// The reason why a store has refused a response; `nil` if it was not late.
  init?(_ error: FreshetError) {
    guard case .store(let reason) = error else { return nil }
    self.init(rawValue: reason)
  }

  var error: FreshetError { .store(rawValue) }
}
