#if Images && !canImport(Darwin)
import Foundation
import FreshetImages
import Testing

@Suite struct AnimatedPNGTests {
  private static let red = SIMD4<UInt8>(255, 0, 0, 255)
  private static let green = SIMD4<UInt8>(0, 255, 0, 255)
  private static let blue = SIMD4<UInt8>(0, 0, 255, 255)
  private static let clear = SIMD4<UInt8>(0, 0, 0, 0)

  private func decode(
    _ data: Data,
    _ configure: (inout DecodingPlan) -> Void = { _ in }
  ) throws -> Picture {
    try SystemPictureDecoder().decode(data, DecodingPlan(configure))
  }

  /// The first rows of the frames, as letters: red, green, blue and none.
  private func rows(_ picture: Picture) -> [String] {
    let letters = [Self.red: "r", Self.green: "g", Self.blue: "b", Self.clear: "-"]
    return picture.frames.map { frame in
      (0..<frame.bitmap.size.width)
        .map { column in frame.bitmap[column, 0].flatMap { letters[$0] } ?? "?" }
        .joined()
    }
  }

  /// Three pixels in red, of which the second frame draws the second one, and the third frame the third.
  private func animation(
    disposal: Int = 0,
    blending: Int = 0,
    firstDisposal: Int = 0,
    plays: Int = 0,
    second: SIMD4<UInt8> = green,
    _ change: (inout AnimatedPNG) -> Void = { _ in }
  ) -> AnimatedPNG {
    var file = AnimatedPNG(3, 1)
    file.animation(frames: 3, plays: plays)
    file.control(AnimatedPNG.Control(width: 3, height: 1, disposal: firstDisposal))
    file.image(3, Array(repeating: Self.red, count: 3))
    file.control(
      AnimatedPNG.Control(width: 1, height: 1, left: 1, disposal: disposal, blending: blending)
    )
    file.frame(1, [second])
    file.control(AnimatedPNG.Control(width: 1, height: 1, left: 2))
    file.frame(1, [Self.blue])
    change(&file)
    file.end()
    return file
  }

  @Test(arguments: [
    (0, ["rrr", "rgr", "rgb"]), (1, ["rrr", "rgr", "r-b"]), (2, ["rrr", "rgr", "rrb"]),
  ])
  func `disposes of a frame before the next one`(disposal: Int, shown: [String]) throws {
    #expect(try rows(decode(animation(disposal: disposal).data)) == shown)
  }

  @Test(arguments: [1, 2])
  func `clears after the first frame, before which there is nothing to restore`(
    disposal: Int
  ) throws {
    #expect(try rows(decode(animation(firstDisposal: disposal).data)) == ["rrr", "-g-", "-gb"])
  }

  @Test func `the frames of an animation are counted before the first one is decoded`() {
    var file = AnimatedPNG(100, 100)
    file.animation(frames: 50)
    file.control(AnimatedPNG.Control(width: 100, height: 100))
    file.append("IDAT", Array("no pixels".utf8))
    for _ in 1..<50 {
      file.control(AnimatedPNG.Control(width: 100, height: 100))
      file.frame(1, [Self.red])
    }
    file.end()

    let error = #expect(throws: ImageError.self) {
      try decode(file.data) { $0.limits.memory = 1 << 20 }
    }
    guard case .tooLarge(.memory(let count)) = error else {
      Issue.record("a frame was decoded first: \(String(describing: error))")
      return
    }
    #expect(count > 50 * 100 * 100 * 4)
  }

  @Test func `restores what was there before each frame in turn`() throws {
    var file = AnimatedPNG(3, 1)
    file.animation(frames: 4)
    file.control(AnimatedPNG.Control(width: 3, height: 1))
    file.image(3, Array(repeating: Self.red, count: 3))
    for (left, color) in [(0, Self.green), (1, Self.blue), (2, Self.green)] {
      file.control(AnimatedPNG.Control(width: 1, height: 1, left: left, disposal: 2))
      file.frame(1, [color])
    }
    file.end()

    #expect(try rows(decode(file.data)) == ["rrr", "grr", "rbr", "rrg"])
  }

  @Test func `replaces pixels, or draws over them`() throws {
    let half = SIMD4<UInt8>(0, 0, 255, 128)

    let replaced = try decode(animation(blending: 0, second: half).data).frames[1].bitmap[1, 0]
    let blended = try decode(animation(blending: 1, second: half).data).frames[1].bitmap[1, 0]
    let covered = try decode(animation(blending: 1, second: Self.green).data)
    let unseen = try decode(animation(blending: 1, second: SIMD4(9, 9, 9, 0)).data)

    #expect(replaced == SIMD4(0, 0, 128, 128))
    #expect(blended == SIMD4(127, 0, 128, 255))
    #expect(rows(covered) == ["rrr", "rgr", "rgb"])
    #expect(rows(unseen) == ["rrr", "rrr", "rrb"])
  }

  @Test func `blends two transparent colours by their alphas`() throws {
    var file = AnimatedPNG(1, 1)
    file.animation(frames: 2)
    file.control(AnimatedPNG.Control(width: 1, height: 1))
    file.image(1, [SIMD4(255, 0, 0, 128)])
    file.control(AnimatedPNG.Control(width: 1, height: 1, blending: 1))
    file.frame(1, [SIMD4(0, 255, 0, 128)])
    file.end()

    let pixel = try #require(try decode(file.data).frames[1].bitmap[0, 0])

    // The alpha is 128 + 128 × 127 / 255 = 192; the green above counts twice as much as the red.
    #expect(pixel == SIMD4(64, 128, 0, 192))
  }

  @Test func `leaves out a default image that is no frame`() throws {
    var file = AnimatedPNG(3, 1)
    file.animation(frames: 2)
    file.image(3, Array(repeating: Self.blue, count: 3))
    file.control(AnimatedPNG.Control(width: 1, height: 1, left: 1))
    file.frame(1, [Self.red])
    file.control(AnimatedPNG.Control(width: 3, height: 1))
    file.frame(3, Array(repeating: Self.green, count: 3), pieces: 5)
    file.end()

    #expect(try rows(decode(file.data)) == ["-r-", "ggg"])
    #expect(try rows(decode(file.data) { $0.animation = .still }) == ["bbb"])
  }

  @Test(arguments: [(0, nil), (1, 1), (7, 7)] as [(Int, Int?)])
  func `is played as often as the file says`(plays: Int, repetitions: Int?) throws {
    #expect(try decode(animation(plays: plays).data).repetitions == repetitions)
  }

  @Test(
    arguments: [
      ((1, 10), 100_000), ((3, 0), 30_000), ((0, 1), 100_000), ((1, 100), 100_000),
      ((1, 60), 16_667), ((11, 1_000), 11_000), ((65_535, 1), 65_535_000_000),
    ] as [((Int, Int), Int)]
  )
  func `shows a frame for its part of a second`(
    delay: (count: Int, parts: Int),
    microseconds: Int
  ) throws {
    var file = AnimatedPNG(1, 1)
    file.animation(frames: 2)
    file.control(AnimatedPNG.Control(width: 1, height: 1, delay: delay))
    file.image(1, [Self.red])
    file.control(AnimatedPNG.Control(width: 1, height: 1))
    file.frame(1, [Self.green])
    file.end()

    let duration = try decode(file.data).frames[0].duration

    #expect((duration / .microseconds(1)).rounded() == Double(microseconds))
  }

  @Test func `reduces and turns each frame`() throws {
    var file = AnimatedPNG(2, 4)
    // Exif's orientation 6: the stored left edge is the upper one.
    file.append(
      "eXIf",
      Array("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{12}\0\u{3}\0\0\0\u{1}\0\u{6}\0\0\0\0\0\0".utf8)
    )
    file.animation(frames: 2)
    file.control(AnimatedPNG.Control(width: 2, height: 4))
    file.image(2, Array(repeating: Self.red, count: 8))
    file.control(AnimatedPNG.Control(width: 2, height: 2, top: 2))
    file.frame(2, Array(repeating: Self.green, count: 4))
    file.end()

    let picture = try decode(file.data) { $0.target = ImageTarget(width: 2, height: 1) }

    #expect(picture.size == PixelSize(width: 2, height: 1))
    #expect(picture.sourceSize == PixelSize(width: 4, height: 2))
    #expect(rows(picture) == ["rr", "gr"])
  }

  // MARK: Broken files

  /// Files that break a rule, by the rule.
  static let broken: [String: @Sendable (inout AnimatedPNG) -> Void] = [
    "more frames than it says": {
      $0.control(AnimatedPNG.Control(width: 1, height: 1))
      $0.frame(1, [red])
    },
    "a control without pixels": { $0.control(AnimatedPNG.Control(width: 1, height: 1)) },
    "a second animation": { $0.animation(frames: 3) },
    "pixels after the frames": { $0.image(3, Array(repeating: red, count: 3)) },
    "a number left out": {
      $0.skipNumber()
      $0.frame(1, [green])
    },
    "pixels that do not end": { $0.append("fdAT", AnimatedPNG.number(5) + [1, 2, 3]) },
  ]

  @Test func `a piece of a frame may be empty`() throws {
    let file = animation { $0.append("fdAT", AnimatedPNG.number(5)) }

    #expect(try rows(decode(file.data)) == ["rrr", "rgr", "rgb"])
  }

  @Test(arguments: Self.broken.keys.sorted())
  func `shows the default image of a file that breaks a rule`(rule: String) throws {
    let change = try #require(Self.broken[rule])

    let shown = try rows(decode(animation(change).data))

    // Pixels after the end of those of a frame are no fault.
    #expect(shown == (rule == "pixels that do not end" ? ["rrr", "rgr", "rgb"] : ["rrr"]))
  }

  @Test(arguments: [
    AnimatedPNG.Control(width: 0, height: 1), AnimatedPNG.Control(width: 1, height: 0),
    AnimatedPNG.Control(width: 4, height: 1), AnimatedPNG.Control(width: 1, height: 1, left: 3),
    AnimatedPNG.Control(width: 1, height: 1, top: 1),
    AnimatedPNG.Control(width: 1, height: 1, left: 0xFFFF_FFFF),
    AnimatedPNG.Control(width: 1, height: 1, disposal: 3),
    AnimatedPNG.Control(width: 1, height: 1, blending: 2),
  ])
  func `shows the default image of a file with a frame that cannot be`(
    control: AnimatedPNG.Control
  ) throws {
    var file = AnimatedPNG(3, 1)
    file.animation(frames: 2)
    file.control(AnimatedPNG.Control(width: 3, height: 1))
    file.image(3, Array(repeating: Self.red, count: 3))
    file.control(control)
    file.frame(1, [Self.green])
    file.end()

    #expect(try rows(decode(file.data)) == ["rrr"])
  }

  @Test(arguments: [0, 2, 4])
  func `shows the default image of a file with another number of frames`(frames: Int) throws {
    var file = AnimatedPNG(1, 1)
    file.animation(frames: frames)
    file.image(1, [Self.red])
    for color in [Self.green, Self.blue, Self.green] {
      file.control(AnimatedPNG.Control(width: 1, height: 1))
      file.frame(1, [color])
    }
    file.end()

    #expect(try rows(decode(file.data)) == ["r"])
  }

  @Test func `shows the default image if a frame of it has another size`() throws {
    var file = AnimatedPNG(3, 1)
    file.animation(frames: 1)
    file.control(AnimatedPNG.Control(width: 1, height: 1))
    file.image(3, Array(repeating: Self.red, count: 3))
    file.end()

    #expect(try rows(decode(file.data)) == ["rrr"])
  }

  @Test func `shows the default image if a frame is damaged, or has too few pixels`() throws {
    let whole = animation().bytes
    let names = ["acTL", "fcTL", "fdAT"]
    for place in whole.indices
    where names.contains(String(decoding: whole[place...].prefix(4), as: UTF8.self)) {
      let length = Int(whole[place - 2]) << 8 + Int(whole[place - 1])
      // In the number of the sequence or of the frames, and in the checksum.
      for offset in [7, 4 + length] {
        var damaged = whole
        damaged[place + offset] ^= 1
        #expect(try rows(decode(Data(damaged))) == ["rrr"], "\(place) \(offset)")
      }
    }
    let short = animation { file in
      file.control(AnimatedPNG.Control(width: 3, height: 1))
      file.frame(1, [Self.green])
    }
    var bytes = short.bytes
    // The file has four frames.
    let count = AnimatedPNG.signature.count + 25 + 8 + 3
    #expect(bytes[count] == 3)
    var head = AnimatedPNG(3, 1)
    head.animation(frames: 4)
    bytes.replaceSubrange(..<head.bytes.count, with: head.bytes)
    #expect(try rows(decode(Data(bytes))) == ["rrr"])
  }

  @Test func `tells that an animation is cut off`() throws {
    let bytes = animation().bytes
    for length in bytes.indices {
      #expect(throws: ImageError.self, "\(length)") { try decode(Data(bytes[..<length])) }
    }
  }

  @Test func `shows a picture without an animation as it is`() throws {
    var file = AnimatedPNG(1, 1)
    file.image(1, [Self.red])
    file.control(AnimatedPNG.Control(width: 1, height: 1))
    file.frame(1, [Self.green])
    file.animation(frames: 1)
    file.end()

    #expect(try rows(decode(file.data)) == ["r"])
  }
}
#endif
