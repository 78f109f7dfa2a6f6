import Foundation
import Freshet

/// Orders bodies for standard output by their positions.
///
/// A pure value. Bodies after a slow one wait here; once they are many or large, ``isFull`` is
/// `true`, so that no more fetches are started. Running ones continue to their end, including the
/// one that the others wait for, so that the bodies are released.
struct OrderedBodies {
  /// An item that has ended; its body is `nil` if there is nothing to write.
  struct Ended {
    let place: Int
    /// The head that is written before the body.
    let head: Data
    let body: ResourceBody?
  }

  /// The largest number of waiting bodies, some of them in open files: half of the open files that
  /// some systems allow a process.
  static let countLimit = 128
  /// The largest size of waiting bodies in bytes, in memory or in files.
  static let byteLimit: Int64 = 32 << 20

  private var waiting: [Int: Ended] = [:]
  private var waitingBytes: Int64 = 0
  /// The items that have been started and are not due yet.
  private var started: Set<Int> = []
  private var next = 0

  mutating func start(_ place: Int) {
    if place >= next { started.insert(place) }
  }

  /// Adds an item that has ended, with its body if there is one to write.
  mutating func end(_ place: Int, head: Data = Data(), body: ResourceBody? = nil) {
    waiting[place] = Ended(place: place, head: head, body: body)
    waitingBytes += body?.length ?? 0
  }

  /// Returns the next item, once it and all before it have ended.
  mutating func takeDue() -> Ended? {
    guard let ended = waiting.removeValue(forKey: next) else { return nil }
    defer { next += 1 }
    started.remove(next)
    waitingBytes -= ended.body?.length ?? 0
    return ended
  }

  /// A Boolean value that indicates whether no more items should be started: the limits are
  /// reached, and the next item to write is running.
  var isFull: Bool {
    (waiting.count >= Self.countLimit || waitingBytes >= Self.byteLimit) && started.contains(next)
  }
}
