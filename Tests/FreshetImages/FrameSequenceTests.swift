import FreshetTesting
import Testing

@testable import FreshetImages

@Suite struct FrameSequenceTests {
  private func picture(repetitions: Int?) -> Picture {
    let frames = [UInt8(1), 2]
      .map { byte in
        Picture.Frame(
          Bitmap(trusted: PixelSize(width: 1, height: 1), [byte, byte, byte, byte]),
          duration: .milliseconds(Int64(byte) * 100)
        )
      }
    return Picture(frames[0], others: [frames[1]], repetitions: repetitions)
  }

  @Test func `shows each frame for its duration and ends after the last repetition`() async {
    let clock = VirtualClock()
    let frames = FrameSequence(picture(repetitions: 2), clock: clock)
    let task = Task { () -> [UInt8] in
      var shown: [UInt8] = []
      for await bitmap in frames { shown.append(bitmap.pixels[0]) }
      return shown
    }

    var pauses: [Duration] = []
    for _ in 0..<3 {
      await clock.sleepers(count: 1)
      if let pause = clock.advance() { pauses.append(pause) }
    }

    #expect(await task.value == [1, 2, 1, 2])
    #expect(pauses == [.milliseconds(100), .milliseconds(200), .milliseconds(100)])
  }

  @Test func `shows a frame of any duration`() async {
    let clock = VirtualClock()
    clock.advance(by: .seconds(1))
    let bitmap = picture(repetitions: 1).frames[0].bitmap
    let frame = Picture.Frame(bitmap, duration: .seconds(Int64.max))
    let frames = FrameSequence(Picture(frame, others: [frame], repetitions: 1), clock: clock)
    let task = Task { for await _ in frames {} }

    #expect(await clock.sleepers(count: 1))
    task.cancel()
    await task.value
  }

  @Test func `ends when its reader is cancelled`() async {
    let clock = VirtualClock()
    let frames = FrameSequence(picture(repetitions: nil), clock: clock)
    let task = Task { for await _ in frames {} }
    await clock.sleepers(count: 1)

    task.cancel()

    await task.value
  }

  @Test(arguments: [nil, 0, 1, 5] as [Int?])
  func `shows a still picture once`(repetitions: Int?) async {
    var count = 0
    let frame = picture(repetitions: 1).frames[0]
    for await _ in FrameSequence(Picture(frame, repetitions: repetitions)) {
      count += 1
      if count > 1 { break }
    }

    #expect(count == 1)
  }
}
