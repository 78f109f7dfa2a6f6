import Synchronization

/// The activity of a client that has been given none: made when it is first asked for, so that
/// calls cost nothing before.
final class ClientActivity: Sendable {
  private let made = Mutex<Activity?>(nil)
  private let isMade = Atomic(false)

  /// What has been asked for, or `nil`.
  var current: Activity? {
    isMade.load(ordering: .acquiring) ? made.withLock { $0 } : nil
  }

  /// What is asked for.
  func activity() -> Activity {
    made.withLock { made in
      if let made { return made }
      let activity = Activity()
      made = activity
      isMade.store(true, ordering: .releasing)
      return activity
    }
  }
}
