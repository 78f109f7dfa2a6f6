#if !canImport(Darwin)
import Foundation

/// A process with few free descriptors.
package enum Scarcity {
  /// Does something while exactly so many descriptors are free.
  package static func leaving<Value: Sendable>(
    _ spare: Int,
    do work: () async throws -> Value
  ) async rethrows -> Value {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    var low = limit
    low.rlim_cur = rlim_t(highestOpen() + 1 + spare)
    setrlimit(resource, &low)
    let filling = fill()
    for descriptor in filling.suffix(spare) { close(descriptor) }
    defer {
      setrlimit(resource, &limit)
      for descriptor in filling.dropLast(spare) { close(descriptor) }
    }
    return try await work()
  }

  /// Opens all that can be opened.
  private static func fill() -> [Int32] {
    var filling: [Int32] = []
    while true {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return filling }
      filling.append(descriptor)
    }
  }

  private static func highestOpen() -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int($0) }.filter { fcntl(Int32($0), F_GETFD) >= 0 }.max() ?? 2
  }
}
#endif
