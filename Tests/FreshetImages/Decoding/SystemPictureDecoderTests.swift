#if Images || canImport(ImageIO)
import Foundation
import FreshetImages
import Testing

@Suite struct SystemPictureDecoderTests {
  private func picture(
    _ name: String,
    _ configure: (inout DecodingPlan) -> Void = { _ in }
  ) throws -> Picture {
    try SystemPictureDecoder().decode(Fixture.data(name), DecodingPlan(configure))
  }

  @Test(arguments: [
    "rgb.png", "palette.png", "interlaced.png", "baseline.jpg", "subsampled.jpg", "progressive.jpg",
    "plain.gif", "interlaced.gif", "lossy.webp", "lossless.webp",
  ])
  func `decodes every format`(name: String) throws {
    let picture = try picture(name)

    #expect(picture.size == PixelSize(width: 64, height: 48))
    #expect(picture.bitmap.shows(Fixture.quarters), "\(picture.bitmap.quarters)")
    #expect(!picture.isAnimated)
    #expect(picture.bitmap[5, 5]?.w == 255)
  }

  @Test(arguments: ["png", "jpg", "gif", "webp"], [(1, 1), (17, 13), (2, 90)])
  func `decodes every size`(kind: String, sides: (Int, Int)) throws {
    let picture = try picture("size-\(sides.0)x\(sides.1).\(kind)")

    #expect(picture.size == PixelSize(width: sides.0, height: sides.1))
  }

  @Test(arguments: (1...8).map { "turned-\($0).jpg" } + ["turned.png", "turned.webp"])
  func `turns every orientation upright`(name: String) throws {
    let picture = try picture(name)

    #expect(picture.size == PixelSize(width: 64, height: 48))
    #expect(picture.sourceSize == picture.size)
    #expect(picture.bitmap.shows(Fixture.quarters), "\(picture.bitmap.quarters)")
  }

  @Test(arguments: ["grey.png", "deep.png", "grey.jpg"])
  func `converts greys of every depth to eight bits`(name: String) throws {
    let quarters = try picture(name).bitmap.quarters

    for (shown, wanted) in zip(quarters, [0, 85, 170, 255]) {
      #expect(abs(Int(shown.x) - wanted) <= 3)
      #expect(shown.x == shown.y && shown.y == shown.z)
    }
  }

  @Test func `decodes single bits`() throws {
    let (black, white) = (SIMD3<UInt8>(0, 0, 0), SIMD3<UInt8>(255, 255, 255))

    #expect(try picture("bits.png").bitmap.shows([black, white, white, black]))
  }

  @Test(arguments: ["alpha.png", "alpha.webp"])
  func `multiplies colours by their alpha`(name: String) throws {
    #expect(try picture(name).bitmap[5, 5] == SIMD4(128, 0, 0, 128))
  }

  @Test func `shows each complete scan of a progressive JPEG while it arrives`() throws {
    let data = try Fixture.data("progressive.jpg")
    let decoder = SystemPictureDecoder()
    var pictures: [Picture] = []

    for length in 0...data.count {
      let picture = try decoder.preview(of: data.prefix(length), DecodingPlan())
      if let picture, picture != pictures.last { pictures.append(picture) }
    }

    #expect(pictures.count > 2)
    #expect(pictures.allSatisfy { $0.size == PixelSize(width: 64, height: 48) })
    #expect(pictures.first?.bitmap.shows(Fixture.quarters, tolerance: 40) == true)
    #expect(try pictures.last == decoder.decode(data, DecodingPlan()))
  }

  @Test(arguments: ["baseline.jpg", "rgb.png", "plain.gif", "lossy.webp"])
  func `shows nothing of other files while they arrive`(name: String) throws {
    let data = try Fixture.data(name)

    for length in stride(from: 0, through: data.count, by: 7) {
      let shown = try SystemPictureDecoder().preview(of: data.prefix(length), DecodingPlan())
      #expect(shown == nil)
    }
  }

  @Test func `looks for no scans behind one that is not progressive`() throws {
    let baseline = try Fixture.data("baseline.jpg").dropLast(2)
    let progressive = try Fixture.data("progressive.jpg").dropFirst(2)

    #expect(try SystemPictureDecoder().preview(of: baseline + progressive, DecodingPlan()) == nil)
  }

  @Test(arguments: ["profile.png", "profile.jpg", "profile.webp"])
  func `converts the colours of a profile to sRGB`(name: String) throws {
    let swapped = [Fixture.green, Fixture.red, Fixture.blue, Fixture.yellow]

    #expect(try picture(name).bitmap.shows(swapped, tolerance: 16))
  }

  @Test(arguments: ["grey-profile.png", "grey-profile.jpg", "grey-profile.webp"])
  func `ignores a profile for greys in a picture with colours`(name: String) throws {
    #expect(try picture(name).bitmap.shows(Fixture.quarters), "\(name)")
  }

  @Test func `reduces the colours of a WebP by their alpha`() throws {
    let target = ImageTarget(width: 32, height: 24, mode: .fit)

    let bitmap = try picture("fringe.webp") { $0.target = target }.bitmap

    // Half of each pixel is opaque red.
    let pixel = try #require(bitmap[16, 12])
    #expect(abs(Int(pixel.w) - 128) <= 2)
    #expect(pixel.w - min(pixel.x, pixel.w) <= 24, "\(pixel)")
  }

  @Test func `converts four inks to sRGB`() throws {
    #expect(try picture("inks.jpg").bitmap.shows(Fixture.quarters, tolerance: 16))
  }

  @Test func `ignores a profile for red, green and blue in a picture of four inks`() throws {
    let other = try Fixture.data("profile.jpg")
    let name = try #require(other.range(of: Data("ICC_PROFILE".utf8)))
    // The marker and the length of the segment are before the name.
    let start = name.lowerBound - 4
    let length = 2 + Int(other[start + 2]) << 8 + Int(other[start + 3])
    let inks = try Fixture.data("inks.jpg")

    let file = inks.prefix(2) + other[start..<start + length] + inks.dropFirst(2)
    let picture = try SystemPictureDecoder().decode(file, DecodingPlan())

    #expect(picture.bitmap.shows(Fixture.quarters, tolerance: 16), "\(picture.bitmap.quarters)")
  }

  @Test(arguments: ["rgb.png", "progressive.jpg", "lossy.webp", "plain.gif", "turned-6.jpg"])
  func `reduces a picture to its target`(name: String) throws {
    let target = ImageTarget(width: 8, height: 8, scale: 2, mode: .fit)

    let picture = try picture(name) { $0.target = target }

    #expect(picture.size == PixelSize(width: 16, height: 12))
    #expect(picture.sourceSize == PixelSize(width: 64, height: 48))
    #expect(picture.bitmap.shows(Fixture.quarters), "\(picture.bitmap.quarters)")
  }

  #if !canImport(Darwin)
  @Test func `multiplies the colours of a WebP by alpha that its header denies`() throws {
    // A lossless picture of four by four pixels, with (200, 100, 50, 40) in the second row.
    let file = try #require(
      Data(
        base64Encoded:
          "UklGRjYAAABXRUJQVlA4TCkAAAAvA8AAAH8gEEiC3V9jhUEemVFI6DggCIBY0KJFixYtWrToiOh/gHK6AwA="
      )
    )

    let bitmap = try SystemPictureDecoder().decode(file, DecodingPlan()).bitmap

    #expect(bitmap[0, 1] == SIMD4(31, 16, 8, 40))
  }

  @Test(arguments: [(0, 0), (0, 2), (2, 0)] as [(UInt8, UInt8)])
  func `gives the frames of a GIF behind one without pixels`(sides: (UInt8, UInt8)) throws {
    func frame(_ width: UInt8, _ height: UInt8) -> [UInt8] {
      // Half a second, the place, and the codes of one red pixel.
      [0x21, 0xF9, 4, 0, 50, 0, 0, 0, 0x2C, 0, 0, 0, 0, width, 0, height, 0, 0, 2, 2, 0x44, 1, 0]
    }
    var file = Array("GIF89a".utf8)
    file += [1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
    file += frame(1, 1) + frame(sides.0, sides.1) + frame(1, 1) + frame(1, 1) + [0x3B]

    let picture = try SystemPictureDecoder().decode(Data(file), DecodingPlan())

    #expect(picture.frames.map(\.duration) == Array(repeating: .milliseconds(500), count: 4))
    #expect(picture.frames.allSatisfy { $0.bitmap[0, 0] == SIMD4(255, 0, 0, 255) })
  }
  #endif

  #if canImport(ImageIO)
  @Test func `an icon in two sizes is one picture and no animation`() throws {
    let images = try [Fixture.data("size-17x13.png"), Fixture.data("size-1x1.png")]
    var file = Data([0, 0, 1, 0, 2, 0])
    var offset = UInt32(6 + 2 * 16)
    for (sides, image) in zip([[17, 13], [1, 1]] as [[UInt8]], images) {
      file.append(contentsOf: sides)
      file.append(contentsOf: [0, 0, 1, 0, 32, 0] as [UInt8])
      for number in [UInt32(image.count), offset] {
        withUnsafeBytes(of: number.littleEndian) { file.append(contentsOf: $0) }
      }
      offset += UInt32(image.count)
    }
    for image in images { file += image }

    let picture = try SystemPictureDecoder().decode(file, DecodingPlan())

    #expect(!picture.isAnimated)
  }
  #endif

  @Test(arguments: ["animated.png", "animated.gif", "animated.webp"])
  func `gives the frames of an animation with their durations`(name: String) throws {
    let picture = try picture(name)

    #expect(picture.frames.map(\.duration) == [100, 200, 300].map { .milliseconds($0) })
    #expect(picture.duration == .milliseconds(600))
    #expect(picture.repetitions == (name.hasSuffix("webp") ? 2 : nil))
    for (frame, color) in zip(picture.frames, [Fixture.red, Fixture.green, Fixture.blue]) {
      #expect(frame.bitmap.shows(Array(repeating: color, count: 4)))
    }
  }

  @Test(arguments: ["animated.png", "animated.gif", "animated.webp"])
  func `decodes only the first frame on request`(name: String) throws {
    let picture = try picture(name) { $0.animation = .still }

    #expect(picture.frames.count == 1)
    #expect(picture.frames.first?.duration == .zero)
  }
}
#endif
