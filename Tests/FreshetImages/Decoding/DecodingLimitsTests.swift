#if Images || canImport(ImageIO)
import Foundation
import Testing

@testable import FreshetImages

@Suite struct DecodingLimitsTests {
  private func failure(
    _ name: String,
    _ configure: (inout DecodingLimits) -> Void = { _ in }
  ) -> ImageError? {
    do throws(ImageError) {
      let data = (try? Fixture.data(name)) ?? Data()
      let limits = DecodingLimits(configure)
      _ = try SystemPictureDecoder().decode(data, DecodingPlan { $0.limits = limits })
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("bomb.png", 60_000 * 60_000), ("bomb.gif", 65_535 * 65_535), ("bomb.jpg", 65_500 * 65_500),
    ("bomb-progressive.jpg", 65_500 * 65_500), ("bomb.webp", 16_383 * 16_383),
  ])
  func `refuses a picture that claims too many pixels`(name: String, pixels: Int) {
    #expect(failure(name) == .tooLarge(.pixels(pixels)))
  }

  @Test(arguments: [
    "rgb.png", "progressive.jpg", "plain.gif", "lossy.webp", "animated.webp",
    "animated.png",
  ])
  func `refuses a picture that needs too much memory`(name: String) {
    guard case .tooLarge(.memory(let count)) = failure(name, { $0.memory = 1_000 }) else {
      Issue.record("it was decoded")
      return
    }
    #expect(count > 1_000)
  }

  @Test func `needs memory for the target of a PNG and not for all of it`() throws {
    var plan = DecodingPlan { $0.target = ImageTarget(width: 40, height: 40) }
    plan.limits.memory = 100_000

    let picture = try SystemPictureDecoder().decode(Fixture.data("large.png"), plan)

    #expect(picture.size == PixelSize(width: 40, height: 40))
    #expect(picture.bitmap.shows(Fixture.quarters))
    // The first rows of an interlaced one come last.
    #expect(throws: ImageError.self) {
      try SystemPictureDecoder().decode(Fixture.data("large-interlaced.png"), plan)
    }
  }

  @Test(arguments: ["animated.png", "animated.gif", "animated.webp"])
  func `refuses an animation with too many frames`(name: String) {
    #expect(failure(name) { $0.frames = 2 } == .tooLarge(.frames(3)))
  }

  @Test(arguments: ["animated.png", "animated.gif", "animated.webp"])
  func `counts the pixels of all frames together`(name: String) {
    #expect(failure(name) { $0.pixels = 32 * 24 } == nil)
    #expect(failure(name) { $0.pixels = 32 * 24 - 1 } == .tooLarge(.pixels(32 * 24)))
  }

  @Test func `counts the pixels of all scans of a progressive JPEG together`() throws {
    var file = try Array(Fixture.data("progressive.jpg").dropLast(2))
    for _ in 0..<11 { file += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] }
    file += [0xFF, 0xD9]
    let count = ProgressiveScans.scans(in: file).count

    #expect(throws: ImageError.tooLarge(.pixels(count * 64 * 48))) {
      try SystemPictureDecoder().decode(Data(file), DecodingPlan { $0.limits.pixels = 64 * 48 })
    }
  }

  #if Images && !canImport(Darwin)
  @Test func `a reserved marker does not hide the scans behind it from the limit`() throws {
    let bytes = try Array(Fixture.data("progressive.jpg"))
    let first = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xDA]) })
    let hiding = bytes[..<first] + [0xFF, 0x02, 0xFE, 0xF0] + bytes[first...]

    let count = ProgressiveScans.scans(in: bytes).count
    #expect(count > 1)
    #expect(ProgressiveScans.scans(in: Array(hiding)).count == count)
  }
  #endif

  @Test func `refuses a long file`() {
    #expect(failure("rgb.png") { $0.bytes = 100 } == .tooLarge(.bytes(151)))
  }

  @Test func `refuses data that is not a picture`() {
    guard case .unsupported = failure("make.py") else {
      Issue.record("it was decoded")
      return
    }
  }
}
#endif
