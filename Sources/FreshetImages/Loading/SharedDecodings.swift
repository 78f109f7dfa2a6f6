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

  /// How a decoding ended.
  private enum End {
    case made(Result<Picture, ImageError>)
    /// The one who decoded it has given up.
    case vacant
  }

  private let running = Mutex<[Key: Watched<End?>]>([:])

  /// How many wait for what others decode.
  var waitingCount: Int { running.withLock { $0.values.reduce(0) { $0 + $1.waiterCount } } }

  /// Makes a picture, or waits for who makes it already.
  ///
  /// - Throws: What making it has thrown; ``ImageError/resource(_:)`` with `cancelled` if the task that
  ///   waits is cancelled. Who makes it may be cancelled without harm for those who wait.
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
      // What happened to the bytes of one, or to its task, did not happen to the others.
      if case .resource = error { end(.vacant) } else { end(.made(.failure(error))) }
      throw error
    }
  }
}
