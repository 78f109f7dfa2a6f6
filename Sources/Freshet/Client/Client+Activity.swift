extension Client {
  /// The registry of running calls on the network, of this client and its copies.
  ///
  /// It sees all calls, those of fetches, streams and batches included, from the first one on. A call with
  /// its attempts and redirects counts once, and what a store answers does not count.
  ///
  /// ```swift
  /// for await _ in client.activity.changes { spinner.isVisible = !client.activity.isIdle }
  /// client.activity.cancel(tagged: "search")
  /// ```
  public var activity: ClientActivity {
    settings.activity
  }
}
