import Foundation
import Testing

@testable import FreshetTesting

@Suite struct GzipTests {
  @Test func `computes the published check value`() {
    #expect(Gzip.crc32(Data("123456789".utf8)) == 0xCBF4_3926)
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 200_000])
  func `splits into stored blocks`(count: Int) {
    let data = GeneratedBytes(length: Int64(count)).bytes(in: 0..<Int64(count))

    let blocks = max(1, (count + 65_534) / 65_535)
    #expect(Gzip.stored(data).count == 10 + blocks * 5 + count + 8)
  }
}
