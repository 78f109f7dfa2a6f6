import Testing

@testable import FreshetImages

@Suite struct PixelSizeTests {
  @Test func `counts its pixels`() { #expect(PixelSize(width: 3, height: 2).count == 6) }
}
