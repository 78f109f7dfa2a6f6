extension Client {
  /// What is running: the calls of this client and its copies that are on the network.
  ///
  /// It sees the calls whose sequences are made after it was first read, since it is only made then;
  /// ``Configuration/activity`` names one that sees all calls. A call with its attempts and
  /// redirects counts once, and what a store answers does not count.
  ///
  /// ```swift
  /// for await _ in client.activity.changes { spinner.isVisible = !client.activity.isIdle }
  /// client.activity.cancel(tagged: "search")
  /// ```
  public var activity: Activity {
    settings.activity.activity()
  }
}
