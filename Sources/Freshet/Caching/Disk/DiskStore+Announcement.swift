import FreshetEssentials

extension DiskStore {
  /// Reports a body that is larger than the store may be, before it arrives.
  func announce(_ length: Int64, of url: URL) {
    let limit = shared.limits.bytes
    guard length > limit else { return }
    shared.report(.bodyTooLarge(url: Redaction.shown(url), bytes: length, limit: limit))
  }
}
