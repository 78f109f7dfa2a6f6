import Freshet
import Synchronization

/// What is being decoded: the same bytes for the same target are decoded once for all who wait.
///
/// Transfers are shared by the client's coalescer; this is about what comes after them.
final class SharedDecodings: Sendable {
  struct Key: Sendable, Hashable {
    let digest: SHA256Digest
    let target: ImageTarget?
    let animation: ImageRequest.Animation
  }

  private enum Turn {
    /// Nobody decodes it: whoever gets this does, and has to ``land(_:_:)``.
    case leads
    case made(Result<Picture, ImageError>)
    /// The one who decoded it has given up.
    case vacant
    case cancelled
  }

  private struct Waiter {
    let id: Int
    let continuation: CheckedContinuation<Turn, Never>
  }

  private struct State {
    var waiters: [Key: [Waiter]] = [:]
    var nextID = 0
  }

  private let state = Mutex(State())

  /// How many wait for what others decode.
  var waitingCount: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

  /// Makes a picture, or waits for who makes it already.
  ///
  /// - Throws: What making it has thrown; ``ImageError/resource(_:)`` with `cancelled` if the task that
  ///   waits is cancelled. Who makes it may be cancelled without harm for those who wait.
  func picture(
    _ key: Key,
    make: () async throws(ImageError) -> Picture
  ) async throws(ImageError) -> Picture {
    while true {
      switch await turn(key) {
      case .leads: return try await lead(key, make)
      case .made(let result): return try result.get()
      case .vacant: continue
      case .cancelled: throw .resource(.cancelled)
      }
    }
  }

  private func lead(
    _ key: Key,
    _ make: () async throws(ImageError) -> Picture
  ) async throws(ImageError) -> Picture {
    do throws(ImageError) {
      let picture = try await make()
      land(key, .made(.success(picture)))
      return picture
    } catch {
      // What happened to the bytes of one, or to its task, did not happen to the others.
      if case .resource = error { land(key, .vacant) } else { land(key, .made(.failure(error))) }
      throw error
    }
  }

  private func land(_ key: Key, _ turn: Turn) {
    let waiters = state.withLock { $0.waiters.removeValue(forKey: key) }
    for waiter in waiters ?? [] { waiter.continuation.resume(returning: turn) }
  }

  private func turn(_ key: Key) async -> Turn {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let turn = state.withLock { state -> Turn? in
          // A cancellation that came before the waiter could be found is seen by its flag.
          if Task.isCancelled { return .cancelled }
          guard state.waiters[key] != nil else {
            state.waiters[key] = []
            return .leads
          }
          state.waiters[key]?.append(Waiter(id: id, continuation: continuation))
          return nil
        }
        if let turn { continuation.resume(returning: turn) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let index = state.waiters[key]?.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiters[key]?.remove(at: index)
      }
      waiter?.continuation.resume(returning: .cancelled)
    }
  }
}
