/// Why a response comes too late to be kept.
enum Late: String, Sendable {
  /// It was asked for before its key was invalidated.
  case invalidated = "the resource has been changed since it was asked for"
  /// The stored one is newer.
  case older = "a newer response is stored"
  /// The body that was validated has been removed.
  case removed = "its body is not stored any more"
  /// The body that was validated is not the stored one any more.
  case replaced = "another body is stored by now"

  /// It was asked for before its key was removed, or all that was stored.
  case cleared = "what is stored for it has been removed since it was asked for"

  /// Why a store has refused something, if it came late.
  init?(_ error: FreshetError) {
    guard case .store(let reason) = error else { return nil }
    self.init(rawValue: reason)
  }

  var error: FreshetError { .store(rawValue) }
}
