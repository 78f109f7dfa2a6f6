import Testing

@testable import FreshetCLI

@Suite struct ByteRateTests {
  @Test(arguments: [
    ("500", 500), ("1k", 1_024), ("200K", 204_800), ("1.5M", 1_572_864), ("2g", 2_147_483_648),
    ("7b", 7),
  ])
  func `reads rates as cURL writes them`(text: String, bytes: Double) throws {
    #expect(try ByteRate(text: text)?.bytesPerSecond == bytes)
  }

  @Test func `lets bytes pass at the rate for all callers, without a reserve`() {
    var rate = ByteRate(100)

    #expect(rate.pass(50, at: .zero) == .milliseconds(500))
    #expect(rate.pass(50, at: .zero) == .seconds(1))
    #expect(rate.pass(100, at: .seconds(10)) == .seconds(11))
    #expect(rate.piece == 10)
    #expect(ByteRate(1).piece == 1)
    #expect(ByteRate(1e12).piece == 16_384)
  }
}
