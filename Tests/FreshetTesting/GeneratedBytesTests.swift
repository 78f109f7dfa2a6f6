import Foundation
import FreshetTesting
import Testing

@Suite struct GeneratedBytesTests {
  @Test func `parts fit together at any place`() {
    let bytes = GeneratedBytes(length: 300_000, seed: 5)
    let whole = bytes.bytes(in: 0..<300_000)

    for start in [0, 1, 65_520, 65_521, 131_041, 299_999] {
      let part = bytes.bytes(in: Int64(start)..<300_000)
      #expect(part == whole[start...])
    }
    #expect(whole.count == 300_000)
  }

  @Test func `a range past the end is clamped`() {
    #expect(GeneratedBytes(length: 10).bytes(in: 8..<20).count == 2)
    #expect(GeneratedBytes(length: 10).bytes(in: 20..<30).isEmpty)
  }

  @Test func `the seed decides`() {
    let first = GeneratedBytes(length: 100, seed: 1).bytes(in: 0..<100)

    #expect(GeneratedBytes(length: 100, seed: 1).bytes(in: 0..<100) == first)
    #expect(GeneratedBytes(length: 100, seed: 2).bytes(in: 0..<100) != first)
  }
}
