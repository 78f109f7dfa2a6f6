import Freshet

/// An event on which a live value is fetched again; see ``LiveSequence/refetched(on:)``.
public struct RefetchTrigger: Sendable {
  /// The description as source code.
  let words: String
  /// A Boolean value that indicates whether an answer that is under way may be older than the event.
  let isAboutServer: Bool
  /// Calls a closure at each event from now on, and returns a closure that ends that.
  let follow: @Sendable (ModelStore, @escaping @Sendable () -> Void) -> @Sendable () -> Void

  /// Each time that a duration has passed, from the first iteration on.
  ///
  /// - Parameters:
  ///   - interval: The duration, more than zero.
  ///   - clock: The clock; the system's by default.
  /// - Returns: A trigger.
  public static func every(
    _ interval: Duration,
    clock: any Clock<Duration> = ContinuousClock()
  ) -> RefetchTrigger {
    precondition(interval > .zero, "fetch again after more than zero seconds")
    return RefetchTrigger(words: ".every(\(interval))") { fire in
      while (try? await clock.sleep(for: min(interval, .longestWait))) != nil { fire() }
    }
  }

  /// Each element of a sequence, such as an app's own notification.
  ///
  /// - Parameter events: A sequence, which is iterated while somebody watches, each time anew.
  /// - Returns: A trigger.
  public static func signal<Events: AsyncSequence<Void, Never> & Sendable>(
    _ events: Events
  ) -> RefetchTrigger {
    RefetchTrigger(words: ".signal(…)") { fire in
      for await _ in events { fire() }
    }
  }

  /// The return of the network: an element that is `true` after one that is `false`.
  ///
  /// - Parameter connectivity: The state of the network; iterated while somebody watches, each time anew.
  /// - Returns: A trigger.
  public static func online<States: AsyncSequence<Bool, Never> & Sendable>(
    _ connectivity: States
  ) -> RefetchTrigger {
    RefetchTrigger(words: ".online(…)") { fire in
      var wasOnline = true
      for await isOnline in connectivity {
        if isOnline, !wasOnline { fire() }
        wasOnline = isOnline
      }
    }
  }

  /// The invalidation of a tag: by a confirmed change whose endpoint has it, or by
  /// ``ModelStore/invalidate(tag:)``.
  ///
  /// What is being fetched then may be older, and is fetched once more.
  ///
  /// - Parameter tag: The tag.
  /// - Returns: A trigger.
  public static func tag(_ tag: String) -> RefetchTrigger {
    RefetchTrigger(
      words: ".tag(\"\(tag)\")",
      isAboutServer: true,
      follow: { store, fire in
        let observers = store.core.tagObservers
        let id = observers.add { if $0.hasSameBytes(as: tag) { fire() } }
        return { observers.remove(id) }
      }
    )
  }
}

extension RefetchTrigger {
  /// Makes a trigger of a task that calls a closure at each event.
  init(
    words: String,
    _ run: @escaping @Sendable (_ fire: @escaping @Sendable () -> Void) async -> Void
  ) {
    self.words = words
    isAboutServer = false
    follow = { _, fire in
      let task = Task { await run(fire) }
      return { task.cancel() }
    }
  }
}
