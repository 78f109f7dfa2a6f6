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
    low.rlim_cur = rlim_t(openDescriptors().max() ?? 2) + 1 + rlim_t(spare)
    setrlimit(resource, &low)
    let filling = fill()
    for descriptor in filling.suffix(spare) { close(descriptor) }
    if spare == 0 {
      // What another thread closes meanwhile is not free either.
      low.rlim_cur = 1
      setrlimit(resource, &low)
    }
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

  /// Returns the open descriptors of the kind on which event loops wait.
  package static func pollDescriptors() -> Set<Int32> {
    Set(
      openDescriptors()
        .filter { descriptor in
          let path = "/proc/self/fd/\(descriptor)"
          let kind = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
          return kind?.hasSuffix("[eventpoll]") == true
        }
    )
  }

  private static func openDescriptors() -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.filter { fcntl($0, F_GETFD) >= 0 }
  }
}
#endif
