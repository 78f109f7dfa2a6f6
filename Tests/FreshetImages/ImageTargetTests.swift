import Testing

@testable import FreshetImages

@Suite struct ImageTargetTests {
  let source = PixelSize(width: 400, height: 200)

  @Test(arguments: [
    (ImageTarget(width: 100, height: 100), PixelSize(width: 100, height: 50)),
    (ImageTarget(width: 100, height: 100, mode: .fill), PixelSize(width: 200, height: 100)),
    (ImageTarget(width: 100, height: 100, scale: 2), PixelSize(width: 200, height: 100)),
    (ImageTarget(width: 1, height: 1), PixelSize(width: 1, height: 1)),
  ])
  func `reduces a picture in its own shape`(target: ImageTarget, size: PixelSize) {
    #expect(target.pixelSize(for: source) == size)
  }

  @Test(arguments: [
    ImageTarget(width: 1000, height: 1000), ImageTarget(width: 0, height: 10),
    ImageTarget(width: .infinity, height: 10), ImageTarget(width: .nan, height: 10),
    ImageTarget(width: -5, height: 10), ImageTarget(width: 10, height: 10, scale: 0),
    ImageTarget(width: 500, height: 150, mode: .fill),
  ])
  func `never makes a picture larger`(target: ImageTarget) {
    #expect(target.pixelSize(for: source) == source)
  }

  @Test(arguments: [(2, 2), (0, 1), (-2, 1), (.nan, 1), (.infinity, 1)] as [(Double, Double)])
  func `pictures have the scale of their target, if it is one`(scale: Double, expected: Double) {
    #expect(ImageTarget(width: 10, height: 10, scale: scale).pictureScale == expected)
  }
}
