import Foundation

extension DispatchQueue {
  /// Does work that blocks its thread, and waits for its result.
  func result<Value: Sendable>(of work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      async { continuation.resume(returning: work()) }
    }
  }
}
