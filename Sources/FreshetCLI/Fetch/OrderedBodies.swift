import Freshet

/// Bodies on their way to standard output, in the order of their places.
///
/// A pure value. Those behind a slow one wait here; once they are many or large, ``isFull`` tells that
/// nothing more should be started. What is under way goes on to its end, the one that all wait for
/// among it, so that what is held back is let go again.
struct OrderedBodies {
  /// One that is due; its body is `nil` where there is nothing to write.
  struct Due {
    let place: Int
    let body: ResourceBody?
  }

  /// How many may wait, some of them in open files: half of what some systems let a process open.
  static let countLimit = 128
  /// How many bytes may wait, in memory or in files.
  static let byteLimit: Int64 = 32 << 20

  private var waiting: [Int: ResourceBody?] = [:]
  private var waitingBytes: Int64 = 0
  /// What has been started and is not due yet.
  private var started: Set<Int> = []
  private var next = 0

  mutating func start(_ place: Int) {
    if place >= next { started.insert(place) }
  }

  /// Adds what has ended, with its body if there is one to write.
  mutating func end(_ place: Int, body: ResourceBody? = nil) {
    waiting[place] = .some(body)
    waitingBytes += body?.length ?? 0
  }

  /// The next one, once it and all before it have ended.
  mutating func takeDue() -> Due? {
    guard let body = waiting.removeValue(forKey: next) else { return nil }
    defer { next += 1 }
    started.remove(next)
    waitingBytes -= body?.length ?? 0
    return Due(place: next, body: body)
  }

  /// Whether nothing more should be started: enough waits, and what it waits for is under way.
  var isFull: Bool {
    (waiting.count >= Self.countLimit || waitingBytes >= Self.byteLimit) && started.contains(next)
  }
}
