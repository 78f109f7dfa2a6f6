import Synchronization

/// The activity of a client: the given one, or one that is made when it is first asked for, so that calls
/// cost nothing before.
final class ClientActivity: Sendable {
  private let made: Mutex<Activity?>
  private let isMade: Atomic<Bool>

  /// - Parameter given: An activity that there is already.
  init(_ given: Activity?) {
    made = Mutex(given)
    isMade = Atomic(given != nil)
  }

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
