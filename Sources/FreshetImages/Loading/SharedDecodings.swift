import Freshet
import Synchronization

/// The decodings in progress: the same bytes with the same target are decoded and
/// processed once for all waiting tasks.
///
/// The client's coalescer shares the transfers before that.
final class SharedDecodings: Sendable {
  struct Key: Sendable, Hashable {
    let digest: SHA256Checksum
    let target: ImageTarget?
    let animation: ImageRequest.Animation
    var processors: [ImageProcessor] = []
  }

  private enum End {
    case made(Result<Picture, ImageError>)
    /// Its bytes could not be read, which only concerns the caller that began it.
    case unread(ImageError)
  }

  private struct Decoding {
    let end: Watched<End?>
    var callerCount = 1
    var task: Task<Void, Never>?
  }

  private let running = Mutex<[Key: Decoding]>([:])

  /// The number of tasks that wait for decodings.
  var waitingCount: Int { running.withLock { $0.values.reduce(0) { $0 + $1.callerCount } } }

  /// Creates a picture, or waits for an equal one in progress.
  ///
  /// - Parameters:
  ///   - key: The bytes, and how they are decoded.
  ///   - make: A closure that creates the picture, in a task that is cancelled with the last caller.
  /// - Returns: The picture.
  /// - Throws: The error of creating it; ``ImageError/resource(_:)`` with `cancelled` if the task of the
  ///   caller is cancelled.
  func picture(
    _ key: Key,
    make: @escaping @Sendable () async throws(ImageError) -> Picture
  ) async throws(ImageError) -> Picture {
    while !Task.isCancelled {
      let (decoding, isNew) = enter(key, make)
      let end: End? = await decoding.first { $0 }
      leave(key, decoding)
      switch end {
      case .made(let result): return try result.get()
      case .unread(let error) where isNew: throw error
      case .unread: continue
      case nil: throw .resource(.cancelled)
      }
    }
    throw .resource(.cancelled)
  }

  private func enter(
    _ key: Key,
    _ make: @escaping @Sendable () async throws(ImageError) -> Picture
  ) -> (Watched<End?>, isNew: Bool) {
    running.withLock { running in
      if let decoding = running[key] {
        running[key]?.callerCount += 1
        return (decoding.end, false)
      }
      let decoding = Watched<End?>(nil)
      let task = Task {
        let end = await Self.end(make)
        self.remove(key, decoding)
        decoding.update { $0 = end }
      }
      running[key] = Decoding(end: decoding, task: task)
      return (decoding, true)
    }
  }

  /// Cancels a decoding that has lost its last caller.
  private func leave(_ key: Key, _ decoding: Watched<End?>) {
    let task = running.withLock { running -> Task<Void, Never>? in
      guard let current = running[key], current.end === decoding else { return nil }
      running[key]?.callerCount -= 1
      guard current.callerCount == 1 else { return nil }
      return running.removeValue(forKey: key)?.task
    }
    task?.cancel()
  }

  private func remove(_ key: Key, _ decoding: Watched<End?>) {
    running.withLock { running in
      if running[key]?.end === decoding { running[key] = nil }
    }
  }

  private static func end(
    _ make: @Sendable () async throws(ImageError) -> Picture
  ) async -> End {
    do throws(ImageError) {
      return .made(.success(try await make()))
    } catch {
      if case .resource = error { return .unread(error) }
      return .made(.failure(error))
    }
  }
}

extension SharedDecodings.Key {
  init(_ identity: ImageRequest.Identity, _ digest: SHA256Checksum) {
    self.init(
      digest: digest,
      target: identity.target,
      animation: identity.animation,
      processors: identity.processors
    )
  }
}
