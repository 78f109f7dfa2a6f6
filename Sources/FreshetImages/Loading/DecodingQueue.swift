import Dispatch
import Freshet

/// Runs decoding on threads of its own, a few at a time; a cancelled wait leaves the queue.
final class DecodingQueue: Sendable {
  private let vacant: Watched<Int>
  private let threads = DispatchQueue(
    label: "freshet.images.decoding",
    qos: .userInitiated,
    attributes: .concurrent
  )

  init(width: Int) {
    vacant = Watched(max(1, width))
  }

  /// Runs work when there is room for it.
  ///
  /// - Throws: ``ImageError/resource(_:)`` with `cancelled` if the task is cancelled before it began;
  ///   work under way is not interrupted.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard await enter() else { throw .resource(.cancelled) }
    let result = await withCheckedContinuation { continuation in
      threads.async {
        let result: Result<Value, ImageError>
        do throws(ImageError) {
          result = .success(try work())
        } catch {
          result = .failure(error)
        }
        self.leave()
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// How many wait for room.
  var waitingCount: Int { vacant.waiterCount }

  private func enter() async -> Bool {
    if Task.isCancelled { return false }
    return await vacant.first { vacant in
      guard vacant > 0 else { return nil }
      vacant -= 1
      return true
    } ?? false
  }

  private func leave() {
    vacant.update { $0 += 1 }
  }
}
