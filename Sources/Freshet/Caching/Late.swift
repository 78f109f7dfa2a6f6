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

  var error: FreshetError { .store(rawValue) }
}
