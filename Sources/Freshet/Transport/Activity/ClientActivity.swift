import Synchronization

/// The activity of a client: the given one, or one that is created on first access.
///
/// Until then, calls are not tracked and cost nothing extra.
final class ClientActivity: Sendable {
  private let made: Mutex<Activity?>
  private let isMade: Atomic<Bool>

  /// - Parameter given: An existing activity, if there is one.
  init(_ given: Activity?) {
    made = Mutex(given)
    isMade = Atomic(given != nil)
  }

  /// The activity, or `nil` if it was not accessed yet.
  var current: Activity? {
    isMade.load(ordering: .acquiring) ? made.withLock { $0 } : nil
  }

  /// Returns the activity, and creates it if necessary.
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
