#if !canImport(Darwin)
import FreshetEssentials

/// A buffer of received body bytes, which the reader takes all at once without a copy.
///
/// It is `@unchecked Sendable` because it cannot be copied and owns its memory exclusively.
struct CurlBodyBuffer: ~Copyable, @unchecked Sendable {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private var expected = 0
  private(set) var count = 0

  deinit {
    free(base)
  }

  /// Appends a chunk.
  ///
  /// - Returns: A Boolean value that indicates whether there was enough memory.
  mutating func append(_ chunk: UnsafeRawBufferPointer) -> Bool {
    guard let source = chunk.baseAddress else { return true }
    if count + chunk.count > capacity {
      // The size of the last batch predicts that of the next one.
      let size = max(count + chunk.count, min(capacity * 2, count + 1 << 20), expected)
      guard let grown = realloc(base, size) else { return false }
      base = grown
      capacity = size
    }
    base?.advanced(by: count).copyMemory(from: source, byteCount: chunk.count)
    count += chunk.count
    return true
  }

  mutating func take() -> Data {
    guard let taken = base else { return Data() }
    let data = Data(bytesNoCopy: taken, count: count, deallocator: .free)
    expected = count > 4096 ? count : 0
    base = nil
    capacity = 0
    count = 0
    return data
  }

  mutating func removeAll() {
    free(base)
    base = nil
    capacity = 0
    count = 0
  }
}
#endif
