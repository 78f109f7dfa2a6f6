extension Client {
  /// The registry of running calls on the network, of this client and its copies.
  ///
  /// It is created when it is first read, and contains only calls whose sequences are made after
  /// that; ``Configuration/activity`` sets one that contains all calls. A call with its attempts
  /// and redirects counts once, and a response from a store does not count.
  ///
  /// ```swift
  /// for await _ in client.activity.changes { spinner.isVisible = !client.activity.isIdle }
  /// client.activity.cancel(tagged: "search")
  /// ```
  public var activity: Activity {
    settings.activity.activity()
  }
}
