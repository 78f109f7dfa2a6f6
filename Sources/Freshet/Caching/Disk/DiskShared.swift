import Foundation
import Synchronization

/// What the store, its writer and its readers know together.
final class DiskShared: Sendable {
  let layout: DiskLayout
  let configuration: DiskStore.Configuration
  let tuning: DiskStore.Tuning
  let touches = DiskTouches()
  let verified = DiskVerified()
  /// What could not be removed so far: it does not answer all the same.
  let invalidations = Mutex(Invalidations())
  private let listener: (@Sendable (DiskStore.Diagnostic) -> Void)?
  private let phase = Mutex(Phase.unopened)
  private let isFailing = Mutex(false)

  /// Whether the database can be used.
  enum Phase: Sendable {
    case unopened
    /// Readers that were opened for another generation open again.
    case open(generation: Int)
    case failed(reason: String, at: ContinuousClock.Instant)
    case closed
  }

  init(
    layout: DiskLayout,
    configuration: DiskStore.Configuration,
    tuning: DiskStore.Tuning,
    listener: (@Sendable (DiskStore.Diagnostic) -> Void)?
  ) {
    self.layout = layout
    self.configuration = configuration
    self.tuning = tuning
    self.listener = listener
  }

  func report(_ diagnostic: DiskStore.Diagnostic) {
    listener?(diagnostic)
  }

  /// Says so once until something could be written again.
  func couldNotWrite(_ reason: String) {
    let isNews = isFailing.withLock { isFailing in
      defer { isFailing = true }
      return !isFailing
    }
    if isNews { report(.unwritable(reason: reason)) }
  }

  func couldWrite() {
    isFailing.withLock { $0 = false }
  }

  var current: Phase { phase.withLock { $0 } }

  func opened(generation: Int) {
    phase.withLock { $0 = .open(generation: generation) }
  }

  /// Says so once for a reason that stays the same.
  func failed(_ reason: String) {
    let isNews = phase.withLock { phase in
      defer { phase = .failed(reason: reason, at: .now) }
      if case .failed(reason, _) = phase { return false }
      return true
    }
    if isNews { report(.unusable(reason: reason)) }
  }

  func closed() {
    phase.withLock { $0 = .closed }
  }
}
