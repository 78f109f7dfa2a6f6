import FreshetImages
import TestSupport
import Testing

@Suite struct ImageProcessorTests {
  private static let red = SIMD4<UInt8>(255, 0, 0, 255)
  private static let clear = SIMD4<UInt8>(0, 0, 0, 0)

  /// A bitmap of one colour, or with a colour by column and row.
  private func bitmap(
    _ width: Int,
    _ height: Int,
    _ color: (Int, Int) -> SIMD4<UInt8> = { _, _ in red }
  ) throws -> Bitmap {
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let pixel = color(x, y)
        bytes += [pixel.x, pixel.y, pixel.z, pixel.w]
      }
    }
    return try #require(
      Bitmap(size: PixelSize(width: width, height: height), pixels: bytes)
    )
  }

  private func numbered(_ width: Int, _ height: Int) throws -> Bitmap {
    try bitmap(width, height) { SIMD4(UInt8($0), UInt8($1), 0, 255) }
  }

  private func isPremultiplied(_ bitmap: Bitmap) -> Bool {
    stride(from: 0, to: bitmap.pixels.count, by: 4)
      .allSatisfy { start in
        bitmap.pixels[start..<start + 3].allSatisfy { $0 <= bitmap.pixels[start + 3] }
      }
  }

  // MARK: Size

  @Test(arguments: [
    (ImageProcessor.Resizing.fit, 8, 4), (.fill, 16, 8), (.crop, 8, 8),
  ])
  func `resizes to a box in three ways`(
    resizing: ImageProcessor.Resizing,
    width: Int,
    height: Int
  ) throws {
    let result = try ImageProcessor.resized(width: 8, height: 8, resizing)
      .apply(to: bitmap(32, 16))

    #expect(result.size == PixelSize(width: width, height: height))
    #expect(result[0, 0] == Self.red)
  }

  @Test func `takes the mean of the pixels that become one`() throws {
    let result = try ImageProcessor.resized(width: 1, height: 1)
      .apply(to: bitmap(2, 2) { x, _ in x == 0 ? SIMD4(100, 0, 0, 100) : SIMD4(0, 0, 0, 0) })

    #expect(result[0, 0] == SIMD4(50, 0, 0, 50))
  }

  @Test func `crops the middle`() throws {
    let result = try ImageProcessor.resized(width: 4, height: 4, .crop).apply(to: numbered(8, 4))

    #expect(result.size == PixelSize(width: 4, height: 4))
    #expect(result[0, 0] == SIMD4(2, 0, 0, 255))
  }

  @Test func `never enlarges, and cuts a smaller picture to the shape of the box alone`() throws {
    let small = try bitmap(40, 10)

    for resizing in [ImageProcessor.Resizing.fit, .fill] {
      let processor = ImageProcessor.resized(width: 100, height: 100, resizing)
      #expect(try processor.apply(to: small) == small)
    }
    let cropped = try ImageProcessor.resized(width: 100, height: 100, .crop).apply(to: small)
    #expect(cropped.size == PixelSize(width: 10, height: 10))
  }

  @Test(
    arguments: [
      (0, 10), (10, 0), (-5, 10), (.nan, 10), (.infinity, 10), (1e300, 1e300),
    ] as [(Double, Double)]
  )
  func `leaves a picture as it is for a box without a size or without end`(
    width: Double,
    height: Double
  ) throws {
    for resizing in [ImageProcessor.Resizing.fit, .fill] {
      let processor = ImageProcessor.resized(width: width, height: height, resizing)
      #expect(try processor.apply(to: numbered(8, 4)) == numbered(8, 4))
    }
  }

  @Test(arguments: [(1, 1), (3, 200), (199, 7), (64, 48)], [0.4, 1.5, 10.6, 33.3])
  func `changes nothing when it resizes again`(sides: (Int, Int), box: Double) throws {
    for resizing in ImageProcessor.Resizing.allCases {
      let processor = ImageProcessor.resized(width: box, height: box * 1.3, resizing)
      let once = try processor.apply(to: bitmap(sides.0, sides.1))
      #expect(try processor.apply(to: once).size == once.size)
    }
  }

  @Test func `crops a rectangle, and what of it is inside`() throws {
    let inside = try ImageProcessor.cropped(x: 2, y: 1, width: 3, height: 2)
      .apply(to: numbered(8, 4))
    #expect(inside.size == PixelSize(width: 3, height: 2))
    #expect(inside[0, 0] == SIMD4(2, 1, 0, 255))
    #expect(inside[2, 1] == SIMD4(4, 2, 0, 255))

    let partial = try ImageProcessor.cropped(x: -2, y: 3, width: 1e300, height: 10)
      .apply(to: numbered(8, 4))
    #expect(partial.size == PixelSize(width: 8, height: 1))
  }

  @Test func `crops up to the edges for an infinite size`() throws {
    let rest = try ImageProcessor.cropped(x: 2, y: 1, width: .infinity, height: .infinity)
      .apply(to: numbered(8, 4))

    #expect(rest.size == PixelSize(width: 6, height: 3))
    #expect(rest[0, 0] == SIMD4(2, 1, 0, 255))
  }

  @Test(
    arguments: [
      (8, 0, 4, 4), (0, 0, 0, 4), (-4, 0, 4, 4), (.nan, 0, 4, 4), (0, 0, 4, -4),
    ] as [(Double, Double, Double, Double)]
  )
  func `throws for a rectangle that leaves nothing`(
    box: (x: Double, y: Double, width: Double, height: Double)
  ) throws {
    let picture = try numbered(8, 4)
    let processor = ImageProcessor.cropped(x: box.x, y: box.y, width: box.width, height: box.height)

    let error = #expect(throws: ImageError.self) { try processor.apply(to: picture) }
    guard case .processing = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `multiplies lengths by the scale`() throws {
    let twice = try ImageProcessor.resized(width: 4, height: 4).apply(to: bitmap(32, 32), scale: 2)
    #expect(twice.size == PixelSize(width: 8, height: 8))

    let part = try ImageProcessor.cropped(x: 1, y: 1, width: 2, height: 2)
      .apply(to: numbered(8, 8), scale: 3)
    #expect(part[0, 0] == SIMD4(3, 3, 0, 255))
    #expect(part.size == PixelSize(width: 5, height: 5))

    let rounded = try ImageProcessor.rounded(2).apply(to: bitmap(32, 32), scale: 4)
    #expect(try rounded == ImageProcessor.rounded(8).apply(to: bitmap(32, 32)))
  }

  // MARK: Outline

  @Test func `rounds the corners alone, and keeps their pixels premultiplied`() throws {
    let result = try ImageProcessor.rounded(8).apply(to: bitmap(32, 20))

    for (x, y) in [(0, 0), (31, 0), (0, 19), (31, 19)] { #expect(result[x, y] == Self.clear) }
    for (x, y) in [(8, 0), (0, 8), (23, 19), (31, 11), (16, 10), (4, 4)] {
      #expect(result[x, y] == Self.red)
    }
    // The circle around (8, 8) crosses the pixel (2, 2), whose middle is 7.78 from there.
    #expect(result[2, 2] == SIMD4(184, 0, 0, 184))
    #expect(isPremultiplied(result))
  }

  @Test func `covers as much of the corners as the circle does`() throws {
    let result = try ImageProcessor.rounded(40).apply(to: bitmap(80, 80))

    let area = stride(from: 3, to: result.pixels.count, by: 4)
      .reduce(0.0) { $0 + Double(result.pixels[$1]) / 255 }
    #expect(abs(area - 40 * 40 * .pi) < 5)
  }

  @Test func `rounds by half of the shorter side at most`() throws {
    let most = try ImageProcessor.rounded(1e300).apply(to: bitmap(30, 10))

    #expect(try most == ImageProcessor.rounded(5).apply(to: bitmap(30, 10)))
    #expect(most[15, 0] == Self.red)
  }

  @Test(arguments: [0, -3, .nan] as [Double])
  func `leaves the corners for a radius of nothing`(radius: Double) throws {
    #expect(try ImageProcessor.rounded(radius).apply(to: bitmap(4, 4)) == bitmap(4, 4))
  }

  @Test func `cuts the circle in the middle`() throws {
    let result = try ImageProcessor.circle.apply(to: numbered(30, 10))

    #expect(result.size == PixelSize(width: 10, height: 10))
    #expect(result[0, 0] == Self.clear)
    #expect(result[9, 9] == Self.clear)
    #expect(result[5, 5] == SIMD4(15, 5, 0, 255))
  }

  @Test func `cuts a circle of one pixel`() throws {
    #expect(try ImageProcessor.circle.apply(to: bitmap(1, 1)).size.count == 1)
  }

  // MARK: Colours

  @Test func `fills a stencil with a colour`() throws {
    let stencil = try bitmap(2, 1) { x, _ in x == 0 ? SIMD4(9, 9, 9, 255) : SIMD4(50, 0, 0, 100) }
    let color = PictureColor(red: 0, green: 255, blue: 51)

    let opaque = try ImageProcessor.tinted(color).apply(to: stencil)
    #expect(opaque[0, 0] == SIMD4(0, 255, 51, 255))
    #expect(opaque[1, 0] == SIMD4(0, 100, 20, 100))

    let half = try ImageProcessor.tinted(color.opacity(0.4)).apply(to: stencil)
    #expect(half[0, 0] == SIMD4(0, 102, 20, 102))
  }

  @Test func `multiplies by a colour`() throws {
    let picture = try bitmap(3, 1) { x, _ in
      [SIMD4(255, 255, 255, 255), SIMD4(0, 0, 0, 255), SIMD4(100, 100, 0, 100)][x]
    }
    let color = PictureColor(red: 51, green: 255, blue: 0)

    let whole = try ImageProcessor.tinted(color, .multiply).apply(to: picture)
    #expect(whole[0, 0] == SIMD4(51, 255, 0, 255))
    #expect(whole[1, 0] == SIMD4(0, 0, 0, 255))
    #expect(whole[2, 0] == SIMD4(20, 100, 0, 100))

    let none = try ImageProcessor.tinted(color.opacity(0), .multiply).apply(to: picture)
    #expect(none == picture)
  }

  @Test func `lays a colour over what the picture covers`() throws {
    let picture = try bitmap(2, 1) { x, _ in x == 0 ? Self.red : SIMD4(0, 0, 0, 0) }
    let shade = PictureColor.black.opacity(0.4)

    let result = try ImageProcessor.tinted(shade, .overlay).apply(to: picture)

    #expect(result[0, 0] == SIMD4(153, 0, 0, 255))
    #expect(result[1, 0] == Self.clear)
    #expect(try ImageProcessor.gradient([shade]).apply(to: picture) == result)
  }

  @Test(arguments: [
    (ImageEdge.top, (0, 0), (0, 3)), (.bottom, (0, 3), (0, 0)), (.left, (0, 0), (3, 0)),
    (.right, (3, 0), (0, 0)),
  ])
  func `lays a gradient over the picture from an edge`(
    edge: ImageEdge,
    first: (Int, Int),
    last: (Int, Int)
  ) throws {
    let blue = PictureColor(red: 0, green: 0, blue: 255)

    let result = try ImageProcessor.gradient([.white, blue], from: edge).apply(to: bitmap(4, 4))

    // The middle of the first of four lines is an eighth of the way.
    #expect(result[first.0, first.1] == SIMD4(223, 223, 255, 255))
    #expect(result[last.0, last.1] == SIMD4(32, 32, 255, 255))
  }

  @Test func `divides a gradient evenly among its colours`() throws {
    let colors = [PictureColor.clear, .black, .clear]

    let result = try ImageProcessor.gradient(colors).apply(to: bitmap(1, 5))

    #expect((0..<5).map { result[0, $0]?.x } == [204, 102, 0, 102, 204])
    #expect(result[0, 0]?.w == 255)
    #expect(try ImageProcessor.gradient([]).apply(to: bitmap(1, 5)) == bitmap(1, 5))
  }

  // MARK: Blur

  @Test(arguments: [0.5, 1, 1.9, 2, 3, 4.7, 10])
  func `keeps the sum and the middle of what it blurs`(deviation: Double) throws {
    let side = 97
    let dot = try bitmap(side, side) { x, y in
      abs(x - 48) <= 12 && abs(y - 48) <= 12 ? SIMD4(255, 0, 0, 255) : SIMD4(0, 0, 0, 0)
    }

    let result = try ImageProcessor.blurred(deviation).apply(to: dot)

    func sum(_ bitmap: Bitmap, _ channel: Int) -> Double {
      stride(from: channel, to: bitmap.pixels.count, by: 4)
        .reduce(0) { $0 + Double(bitmap.pixels[$1]) }
    }
    for channel in [0, 3] {
      #expect(abs(sum(result, channel) / sum(dot, channel) - 1) < 0.005)
    }
    #expect(sum(result, 1) == 0)
    // A blur that moves the picture has other values on both sides.
    for offset in [5, 12, 13, 20] {
      let values = [
        result[48 - offset, 48], result[48 + offset, 48], result[48, 48 - offset],
        result[48, 48 + offset],
      ]
      let bytes = values.compactMap { $0.map { Int($0.x) } }
      #expect((bytes.max() ?? 255) - (bytes.min() ?? 0) <= 1)
    }
    #expect(isPremultiplied(result))
  }

  @Test(arguments: [0.8, 2, 6, 20])
  func `has the deviation that was asked for`(deviation: Double) throws {
    // The derivative of a blurred step is the weight of the blur.
    let step = try bitmap(201, 1) { x, _ in x < 100 ? SIMD4(0, 0, 0, 255) : SIMD4(repeating: 255) }

    let result = try ImageProcessor.blurred(deviation).apply(to: step)

    let values = (0..<201).compactMap { result[$0, 0].map { Double($0.x) / 255 } }
    let weights = zip(values, values.dropFirst()).map { $1 - $0 }
    let mean = weights.enumerated().reduce(0) { $0 + Double($1.offset) * $1.element }
    let variance = weights.enumerated()
      .reduce(0) { $0 + (Double($1.offset) - mean) * (Double($1.offset) - mean) * $1.element }
    #expect(abs(mean - 99) < 0.05)
    #expect(abs(variance.squareRoot() - deviation) < max(0.15, deviation * 0.06))
  }

  @Test(arguments: [0.7, 3, 50, 1e300])
  func `keeps a picture of one colour up to its edges`(deviation: Double) throws {
    let plain = try bitmap(7, 5) { _, _ in SIMD4(40, 30, 20, 90) }

    #expect(try ImageProcessor.blurred(deviation).apply(to: plain) == plain)
  }

  @Test(.timeLimit(.minutes(5)))
  func `blurs short lines as fast by a large deviation as by a small one`() throws {
    let column = try bitmap(1, 30_000)
    func time(_ deviation: Double) throws -> Duration {
      var result: Bitmap?
      let time = try threadTime {
        result = try ImageProcessor.blurred(deviation).apply(to: column)
      }
      #expect(result == column)
      return time
    }

    let small = try time(30)
    let large = try time(30_000)

    #expect(large < small * 8 + .milliseconds(500), "\(large) beside \(small)")
  }

  @Test(arguments: [0, -1, .nan] as [Double])
  func `blurs nothing for a deviation of nothing`(deviation: Double) throws {
    #expect(try ImageProcessor.blurred(deviation).apply(to: numbered(8, 4)) == numbered(8, 4))
  }

  // MARK: Names

  @Test func `is equal to a processor with the same values`() {
    #expect(ImageProcessor.rounded(8) == .rounded(8))
    #expect(ImageProcessor.rounded(8) != .rounded(9))
    #expect(ImageProcessor.tinted(.black) != .tinted(.black, .overlay))
    #expect(ImageProcessor.gradient([.black, .white]) != .gradient([.black, .white], from: .left))
    #expect(ImageProcessor.custom("one") { $0 } == .custom("one") { $0 })
    #expect(ImageProcessor.custom(".circle") { $0 } != .circle)
  }

  @Test func `says what it does`() {
    let color = PictureColor(red: 255, green: 99, blue: 7).opacity(0.5)

    #expect(ImageProcessor.rounded(8).description == ".rounded(8.0)")
    #expect(ImageProcessor.tinted(color).description == ".tinted(#ff630780, .stencil)")
    #expect(ImageProcessor.custom("sepia") { $0 }.description == ".custom(sepia)")
  }
}
