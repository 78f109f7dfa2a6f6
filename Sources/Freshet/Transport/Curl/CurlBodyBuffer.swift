#if os(Linux)
import Foundation

/// The bytes of a body that wait for their reader, who takes them all at once without a copy.
///
/// Unchecked: it cannot be copied and nobody else knows its memory, so whoever has it has it alone.
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
  /// - Returns: Whether there was memory for it.
  mutating func append(_ chunk: UnsafeRawBufferPointer) -> Bool {
    guard let source = chunk.baseAddress else { return true }
    if count + chunk.count > capacity {
      // What was taken last time tells how much is going to come this time.
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
