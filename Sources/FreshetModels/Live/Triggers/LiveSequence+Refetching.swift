extension LiveSequence {
  /// Fetches again at each event, while somebody iterates.
  ///
  /// - All who iterate this sequence, or a copy of it, share one fetch. An event during a fetch joins
  ///   it, but for an invalid tag: then there is one more fetch behind it.
  /// - While nobody iterates, events are not followed. What is missed then is up to the
  ///   ``RefreshPolicy`` of the next iteration.
  /// - Triggers of an earlier call stay.
  ///
  /// ```swift
  /// let live = client.live(ListSprings(), springs, in: models)
  ///   .refetched(on: .every(.seconds(60)), .tag("springs"))
  /// ```
  ///
  /// - Parameter triggers: The events.
  /// - Returns: A sequence with a fetch of its own.
  public func refetched(on triggers: RefetchTrigger...) -> LiveSequence {
    LiveSequence(observation, source, triggers: self.triggers + triggers)
  }
}
