#if Images && !canImport(Darwin)
import Foundation
import FreshetImages
import TestSupport
import Testing

/// Small files that claim much, each in its own way.
@Suite struct HostileFileTests {
  private func failure(
    _ file: [UInt8],
    _ configure: (inout DecodingLimits) -> Void
  ) -> ImageError? {
    let limits = DecodingLimits(configure)
    do throws(ImageError) {
      _ = try SystemPictureDecoder()
        .decode(
          Data(file),
          DecodingPlan {
            $0.limits = limits
            $0.target = ImageTarget(width: 8, height: 8)
          }
        )
      return nil
    } catch {
      return error
    }
  }

  private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
  }

  /// A baseline JPEG of three colours, with a scan for each or with one for all.
  private func jpeg(_ side: Int, scans: [[UInt8]], sampling: UInt8 = 0x11) -> [UInt8] {
    let sides = [side >> 8, side & 0xFF, side >> 8, side & 0xFF].map(UInt8.init)
    let colors: [UInt8] = [3, 1, sampling, 0, 2, 0x11, 0, 3, 0x11, 0]
    let codes: [UInt8] = [1] + Array(repeating: 0, count: 15) + [0]
    var file: [UInt8] = [0xFF, 0xD8]
    file += segment(0xDB, [0] + Array(repeating: 1, count: 64))
    file += segment(0xC0, [8] + sides + colors)
    file += segment(0xC4, [0] + codes)
    file += segment(0xC4, [0x10] + codes)
    for scan in scans {
      file += segment(0xDA, [UInt8(scan.count)] + scan.flatMap { [$0, 0] } + [0, 63, 0])
      file += [UInt8](repeating: 0, count: side * side / 64 * scan.count / 4 + 1)
    }
    return file + [0xFF, 0xD9]
  }

  @Test func `counts the coefficients of a file with a scan for each colour`() {
    let apart = jpeg(512, scans: [[1], [2], [3]])
    let together = jpeg(512, scans: [[1, 2, 3]])

    #expect(failure(apart) { $0.memory = 4 << 20 } == nil)
    #expect(failure(together) { $0.memory = 1 << 20 } == nil)
    guard case .tooLarge(.memory(let count)) = failure(apart, { $0.memory = 1 << 20 }) else {
      Issue.record("it was decoded")
      return
    }
    #expect(count >= 512 * 512 * 3 * 2)
  }

  @Test func `counts the pixels of all scans of a JPEG`() {
    let few = jpeg(16, scans: [[1], [2], [3]])
    let many = jpeg(16, scans: Array(repeating: [1], count: 11))

    #expect(failure(few) { $0.pixels = 256 } == nil)
    #expect(failure(many) { $0.pixels = 256 } == .tooLarge(.pixels(11 * 256)))
  }

  @Test(arguments: [0x31, 0x24, 0x42] as [UInt8])
  func `decodes a JPEG of an unusual sampling`(sampling: UInt8) {
    let file = jpeg(64, scans: [[1, 2, 3]], sampling: sampling)

    #expect(failure(file) { $0.pixels = 64 * 64 } == nil)
    #expect(failure(file) { $0.pixels = 64 } == .tooLarge(.pixels(64 * 64)))
  }

  @Test func `decodes a picture without the unbounded steps of its profile`() throws {
    // A PNG of one pixel, whose profile has a D2B0 tag of 500 curves.
    let file = try #require(
      Data(
        base64Encoded: """
          iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAAk2lDQ1B4AAB42mNgEOhhAAIWAwaG3LySoiB3J4WI
          yCgFBiSQmFxcwIAXfLvGwAiiL+sykA4YXYycgLYzTGBg4P+TW5BaAhZlBkIGxi9AsQ1Ans8oPUqP0qP0KD1Kj9Kj
          9Cg9So/So/QoPUqP0gNHJ5cVI/XXGVSAWAOdTi4tSoP09BkYChKhbCCwb3RfZ9+AGAgAAK6cIHPQ7zhKAAAADElE
          QVR4nGNgZGIGAAAOAAfXb+R4AAAAAElFTkSuQmCC
          """,
        options: .ignoreUnknownCharacters
      )
    )
    var picture: Picture?

    let time = try threadTime {
      picture = try SystemPictureDecoder().decode(file, DecodingPlan())
    }

    #expect(picture?.bitmap[0, 0] == SIMD4(1, 2, 3, 255))
    #expect(time < .seconds(1))
  }

  @Test func `refuses sides whose pixels cannot be counted in bytes, whatever the limits`() {
    let side = Int(Int32.max)
    var file = AnimatedPNG.signature
    // An interlaced picture of eight bits of red, green and blue.
    file += AnimatedPNG.chunk(
      "IHDR",
      AnimatedPNG.number(side) + AnimatedPNG.number(side) + [8, 2, 0, 0, 1]
    )
    file += AnimatedPNG.chunk("IDAT", [])

    #expect(failure(file) { $0.pixels = .max } == .tooLarge(.pixels(side * side)))
  }

  /// A GIF whose frames are larger than its logical screen of one pixel.
  private func gif(_ side: Int, frames: Int) -> [UInt8] {
    let sides = [side & 0xFF, side >> 8, side & 0xFF, side >> 8].map(UInt8.init)
    // Codes of three bits: a clear before each pixel, so that they never grow.
    var (bits, count, codes) = (0, 0, [UInt8]())
    func put(_ code: Int) {
      bits |= code << count
      count += 3
      while count >= 8 {
        codes.append(UInt8(bits & 0xFF))
        (bits, count) = (bits >> 8, count - 8)
      }
    }
    for _ in 0..<side * side {
      put(4)
      put(0)
    }
    put(5)
    codes.append(UInt8(bits & 0xFF))
    var image: [UInt8] = [0x2C, 0, 0, 0, 0] + sides + [0, 2]
    while !codes.isEmpty {
      image += [UInt8(min(codes.count, 255))] + codes.prefix(255)
      codes.removeFirst(min(codes.count, 255))
    }
    image.append(0)
    var file = Array("GIF89a".utf8)
    file += [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    for _ in 0..<frames { file += image }
    return file + [0x3B]
  }

  @Test func `a GIF is at least as large as its first frame`() throws {
    let picture = try SystemPictureDecoder().decode(Data(gif(3, frames: 2)), DecodingPlan())

    let sizes = picture.frames.map(\.bitmap.size)
    #expect(sizes == Array(repeating: PixelSize(width: 3, height: 3), count: 2))
  }

  @Test func `counts the pixels of all frames`() {
    // Ten times the pixels of one frame are allowed.
    #expect(failure(gif(10, frames: 10)) { $0.pixels = 100 } == nil)
    #expect(failure(gif(10, frames: 11)) { $0.pixels = 100 } == .tooLarge(.pixels(1_100)))
  }

  /// A WebP animation of frames of one pixel, each of which lasts 16,777,215 ms.
  private func webP(frames: Int) -> [UInt8] {
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      let length = [0, 8, 16, 24].map { UInt8(content.count >> $0 & 0xFF) }
      return Array(name.utf8) + length + content + (content.count % 2 == 0 ? [] : [0])
    }
    let pixel: [UInt8] = [0x2F, 0, 0, 0, 0x10, 7, 0x10, 0x11, 0x11, 0x88, 0x88, 0xFE, 7]
    let place = [UInt8](repeating: 0, count: 12)
    let frame = chunk("ANMF", place + [0xFF, 0xFF, 0xFF, 0] + chunk("VP8L", pixel))
    var content = Array("WEBP".utf8)
    content += chunk("VP8X", [0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    content += chunk("ANIM", [0, 0, 0, 0, 0, 0])
    for _ in 0..<frames { content += frame }
    return chunk("RIFF", content)
  }

  @Test func `counts all frames of a WebP before it decodes one`() {
    let file = webP(frames: 130)

    #expect(failure(file) { $0.frames = 100 } == .tooLarge(.frames(130)))
    // Four bytes for each frame, and 28 beside them.
    #expect(failure(file) { $0.memory = 500 } == .tooLarge(.memory(548)))
  }

  @Test func `decodes an animation whose times overflow`() throws {
    let picture = try SystemPictureDecoder().decode(Data(webP(frames: 130)), DecodingPlan())

    #expect(picture.frames.count == 130)
    #expect(picture.frames.allSatisfy { $0.duration == .milliseconds(0xFFFFFF) })
  }
}
#endif
