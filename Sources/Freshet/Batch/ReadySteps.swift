/// The steps of a batch's workers that are ready, and how many threads run them.
///
/// A pure value. Short steps are run one after the other by one thread: what one leaves in the
/// processor's caches is there for the next, and no thread is woken for it. Steps that take long, such
/// as those of large bodies, run side by side.
struct ReadySteps<Step> {
  private var steps = Queue<Step>()
  /// How many threads run steps now.
  private var runners = 0
  /// Whether somebody has been called to run steps, and has not come yet.
  private var isCalling = false
  /// How much the last steps were long ones.
  private var strain = 0
  private let processors: Int

  init(processors: Int) {
    self.processors = max(1, processors)
  }

  /// Adds a step; what it returns says whether somebody has to be called who joins.
  mutating func add(_ step: consuming Step) -> Bool {
    steps.append(step)
    return callsAnother()
  }

  /// Lets who has come run steps, if there is something to do for it.
  mutating func join() -> Bool {
    isCalling = false
    guard !steps.isEmpty, runners < limit else { return false }
    runners += 1
    return true
  }

  /// The next step for one who has joined; with `nil` it has left.
  mutating func next() -> Step? {
    if let step = steps.popFirst() { return step }
    runners -= 1
    return nil
  }

  /// Lets one who has joined leave before everything is done; what it returns says whether somebody has
  /// to be called in its place.
  mutating func leave() -> Bool {
    runners -= 1
    return callsAnother()
  }

  /// Takes down how long steps took.
  mutating func note(_ count: Int, took duration: Duration) {
    if duration > Self.long * count {
      strain = min(strain + Self.weight, 4 * Self.weight)
    } else {
      strain = max(0, strain - count)
    }
  }

  /// Whether steps take long: one alone may have been interrupted.
  var isStrained: Bool { strain > Self.weight }

  private var limit: Int { isStrained ? processors : 1 }

  /// Whether somebody else has to be called who joins, for there is more to do than is done.
  mutating func callsAnother() -> Bool {
    guard !isCalling, !steps.isEmpty, runners < limit else { return false }
    isCalling = true
    return true
  }

  private static var long: Duration { .microseconds(200) }
  private static var weight: Int { 16 }
}
