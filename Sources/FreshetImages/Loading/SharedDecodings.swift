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

  /// The end of a decoding.
  private enum End {
    case made(Result<Picture, ImageError>)
    /// The task that decoded it was cancelled, or could not read its bytes.
    case vacant
  }

  private let running = Mutex<[Key: Watched<End?>]>([:])

  /// The number of tasks that wait for others' decodings.
  var waitingCount: Int { running.withLock { $0.values.reduce(0) { $0 + $1.waiterCount } } }

  /// Creates a picture, or waits for an equal one in progress.
  ///
  /// - Throws: The error of creating it; ``ImageError/resource(_:)`` with `cancelled` if the waiting
  ///   task is cancelled. If the creating task is cancelled, a waiting one takes over.
  func picture(
    _ key: Key,
    make: () async throws(ImageError) -> Picture
  ) async throws(ImageError) -> Picture {
    while !Task.isCancelled {
      let new = Watched<End?>(nil)
      let other = running.withLock { running -> Watched<End?>? in
        if let other = running[key] { return other }
        running[key] = new
        return nil
      }
      guard let other else { return try await lead(key, new, make) }
      let end: End? = await other.first { $0 }
      switch end {
      case .made(let result): return try result.get()
      case .vacant: continue
      case nil: throw .resource(.cancelled)
      }
    }
    throw .resource(.cancelled)
  }

  private func lead(
    _ key: Key,
    _ decoding: Watched<End?>,
    _ make: () async throws(ImageError) -> Picture
  ) async throws(ImageError) -> Picture {
    func end(_ end: End) {
      running.withLock { $0[key] = nil }
      decoding.update { $0 = end }
    }
    do throws(ImageError) {
      let picture = try await make()
      end(.made(.success(picture)))
      return picture
    } catch {
      // A failure to read the bytes and a cancellation only concern this task.
      if case .resource = error { end(.vacant) } else { end(.made(.failure(error))) }
      throw error
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
