import Freshet
import FreshetTesting
import Testing

@testable import FreshetImages

@Suite struct PictureRecordTests {
  private func picture(_ width: Int, _ height: Int, frames: Int, repetitions: Int?) -> Picture {
    var generator = SeededGenerator(seed: 3)
    let size = PixelSize(width: width, height: height)
    let all = (0..<frames)
      .map { number in
        let pixels = (0..<size.count * 4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return Picture.Frame(
          Bitmap(trusted: size, pixels),
          duration: frames == 1 ? .zero : .seconds(1) * number / 60
        )
      }
    return Picture(
      all[0],
      others: Array(all.dropFirst()),
      repetitions: repetitions,
      sourceSize: PixelSize(width: 999, height: 77)
    )
  }

  @Test(
    arguments: [(1, 1, 1, 1), (17, 13, 1, 1), (3, 50, 4, 7), (8, 8, 2, nil)]
      as [(Int, Int, Int, Int?)]
  )
  func `gives the picture that was stored`(
    shape: (width: Int, height: Int, frames: Int, repetitions: Int?)
  ) throws {
    let picture = picture(
      shape.width,
      shape.height,
      frames: shape.frames,
      repetitions: shape.repetitions
    )

    #expect(try PictureRecord.picture(PictureRecord.bytes(picture), DecodingLimits()) == picture)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min)])
  func `a frame of any duration has a record`(duration: Duration) throws {
    let bitmap = picture(1, 1, frames: 1, repetitions: 1).bitmap
    let endless = Picture(
      Picture.Frame(bitmap, duration: duration),
      others: [Picture.Frame(bitmap)],
      repetitions: nil
    )

    let stored = try PictureRecord.picture(PictureRecord.bytes(endless), DecodingLimits())

    #expect(stored.frames[0].duration == max(duration, .zero))
  }

  @Test func `refuses every record that is cut off, and survives every corruption`() throws {
    let bytes = PictureRecord.bytes(picture(5, 4, frames: 2, repetitions: nil))
    let limits = DecodingLimits { $0.memory = 1 << 20 }
    for length in bytes.indices {
      #expect(throws: ImageError.self) {
        try PictureRecord.picture(Array(bytes[..<length]), limits)
      }
    }
    for place in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(bit)
        let picture = try? PictureRecord.picture(damaged, limits)
        #expect((picture?.cost ?? 0) <= limits.memory)
      }
    }
  }

  @Test func `checks the limits before it reads pixels`() throws {
    let bytes = PictureRecord.bytes(picture(5, 4, frames: 3, repetitions: nil))

    #expect(throws: ImageError.tooLarge(.pixels(20))) {
      try PictureRecord.picture(bytes, DecodingLimits { $0.pixels = 19 })
    }
    #expect(throws: ImageError.tooLarge(.frames(3))) {
      try PictureRecord.picture(bytes, DecodingLimits { $0.frames = 2 })
    }
    #expect(throws: ImageError.self) {
      try PictureRecord.picture(bytes, DecodingLimits { $0.memory = 319 })
    }
  }

  @Test func `has a name of its own for each list and target`() throws {
    func name(_ target: ImageTarget?, _ processors: ImageProcessor...) throws -> String {
      let request = ImageRequest(
        try Request("http://a.example/"),
        target: target,
        processors: processors
      )
      return PictureRecord.name(of: request.identity)
    }
    let target = ImageTarget(width: 8, height: 8)
    let names = [
      try name(nil, .circle), try name(nil, .circle, .circle),
      try name(nil, .custom(".circle") { $0 }),
      try name(target, .circle), try name(ImageTarget(width: 8, height: 8, scale: 2), .circle),
      try name(nil, .rounded(8)), try name(nil, .rounded(8), .circle),
      try name(nil, .circle, .rounded(8)),
    ]

    #expect(Set(names).count == names.count)
    #expect(try name(target, .circle) == name(target, .circle))
  }
}
