public import Foundation
import Synchronization

/// What is running: the calls of the transports that it tracks, to be seen and to be ended.
///
/// ```swift
/// let activity = Activity()
/// let client = Client { $0.activity = activity }
/// for await _ in activity.changes { spinner.isVisible = !activity.isIdle }
/// activity.cancel(tagged: "search")
/// ```
public final class Activity: Sendable {
  private struct State {
    var calls: [Int: TrackedCall] = [:]
    var count = 0
  }

  private let state = Mutex(State())
  private let bulletin: Bulletin<Change>
  private let now: @Sendable () -> Date

  /// Makes an activity without calls.
  ///
  /// - Parameters:
  ///   - capacity: How many changes are kept for readers that are slow; 1,000 by default.
  ///   - now: The time; the system's by default.
  public init(capacity: Int = 1_000, now: @escaping @Sendable () -> Date = { Date() }) {
    bulletin = Bulletin(capacity: capacity)
    self.now = now
  }

  /// One call that is running.
  public struct Call: Sendable, Identifiable {
    /// Its number; calls of one activity are counted from 1.
    public let id: Int
    /// Its method.
    public let method: HTTPMethod
    /// Where it went first, without user, password, query and fragment.
    public let url: String
    /// Its tags.
    public let tags: Set<String>
    /// When it was begun.
    public let began: Date
    /// How far its upload is, if that is known.
    public internal(set) var sent: TransferProgress?
    /// The status of its response, once that has begun.
    public internal(set) var status: HTTPStatus?
    /// How far its response's body is.
    public internal(set) var received = TransferProgress(completed: 0)
  }

  /// Something that changed.
  public enum Change: Sendable {
    /// A call has been begun.
    case began(Call)
    /// A call has ended: complete, or with an error.
    case ended(Call, FreshetError?)
    /// The last call has ended; it comes after that call's `ended`.
    case becameIdle
  }
}

extension Activity {
  /// The calls that run now, in the order in which they were begun.
  public var calls: [Call] {
    state.withLock { Array($0.calls.values) }.map(\.call).sorted { $0.id < $1.id }
  }

  /// How many calls run.
  public var count: Int { state.withLock(\.calls.count) }

  /// Whether no call runs.
  public var isIdle: Bool { count == 0 }

  /// What changes from now on, each call's `began` and `ended` once.
  ///
  /// It ends when the task that reads is cancelled. Who reads slower than the capacity allows
  /// misses the oldest changes; ``calls`` is right at any time.
  public var changes: some AsyncSequence<Change, Never> & Sendable {
    BulletinSequence(bulletin: bulletin)
  }

  /// Ends a call: it fails with ``FreshetError/cancelled`` where it is awaited.
  public func cancel(_ id: Call.ID) {
    state.withLock { $0.calls[id] }?.cancel()
  }

  /// Ends the calls that have a tag.
  public func cancel(tagged tag: String) {
    cancel { $0.tags.contains(tag) }
  }

  /// Ends all calls that run; later ones are not touched.
  public func cancelAll() {
    cancel { _ in true }
  }

  private func cancel(where isMeant: (Call) -> Bool) {
    for call in state.withLock({ Array($0.calls.values) }) where isMeant(call.call) {
      call.cancel()
    }
  }

  func begin(_ request: Request, over base: any Transport) -> TrackedCall {
    // Interceptors and clocks of the app may look at the activity, or end calls.
    let transfer = base.send(request)
    let began = now()
    return state.withLock { state in
      state.count += 1
      let call = Call(
        id: state.count,
        method: request.method,
        url: Redaction.shown(request.url),
        tags: request.tags,
        began: began
      )
      let tracked = TrackedCall(call, transfer)
      state.calls[call.id] = tracked
      bulletin.post(.began(call))
      return tracked
    }
  }

  func end(_ id: Call.ID, _ error: FreshetError?) {
    let call = state.withLock { state in
      let call = state.calls.removeValue(forKey: id)
      guard let call else { return nil as TrackedCall? }
      bulletin.post(.ended(call.call, error))
      if state.calls.isEmpty { bulletin.post(.becameIdle) }
      return call
    }
    // What it holds is released outside of the lock.
    _ = call
  }
}
