/// Changes that somebody waits for.
struct ModelJob: Sendable {
  /// Makes them, perhaps again after a rollback, and returns what says so after the commit.
  let work: @Sendable (ModelTransaction) throws(FreshetError) -> @Sendable () -> Void
  /// Says why they could not be made.
  let fail: @Sendable (FreshetError) -> Void
}
