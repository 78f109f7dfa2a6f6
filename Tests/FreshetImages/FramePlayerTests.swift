import FreshetTesting
import Testing

@testable import FreshetImages

@MainActor @Suite struct FramePlayerTests {
  private let clock = VirtualClock()
  private let shown = Shown()

  private final class Shown {
    var bytes: [UInt8] = []
  }

  private func picture(_ bytes: UInt8...) -> Picture {
    let frames = bytes.map { byte in
      Picture.Frame(
        Bitmap(trusted: PixelSize(width: 1, height: 1), [byte, byte, byte, byte]),
        duration: .milliseconds(100)
      )
    }
    return Picture(frames[0], others: Array(frames.dropFirst()), repetitions: nil)
  }

  private func play(_ picture: Picture, by player: FramePlayer) {
    player.play(picture, clock: clock) { [shown] in shown.bytes.append($0.pixels[0]) }
  }

  @Test func `draws the first frame before it returns`() {
    play(picture(7), by: FramePlayer())

    #expect(shown.bytes == [7])
  }

  @Test func `plays one picture at a time`() async {
    let player = FramePlayer()
    play(picture(1, 2), by: player)
    await clock.sleepers(count: 1)

    play(picture(3), by: player)

    #expect(shown.bytes.last == 3)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `draws no due frame of the former picture`() async {
    let player = FramePlayer()
    play(picture(1, 2), by: player)
    await clock.sleepers(count: 1)

    clock.advance(by: .milliseconds(100))
    play(picture(3), by: player)
    for _ in 0..<100 { await Task.yield() }

    #expect(shown.bytes.last == 3)
  }

  @Test func `draws nothing after it has stopped`() async {
    let player = FramePlayer()
    play(picture(1, 2), by: player)
    await clock.sleepers(count: 1)

    clock.advance(by: .milliseconds(100))
    player.stop()
    for _ in 0..<100 { await Task.yield() }

    #expect(shown.bytes.last == 1)
  }

  @Test func `plays an animation until it is stopped`() {
    let player = FramePlayer()
    play(picture(1, 2), by: player)
    #expect(player.isPlaying)

    player.stop()

    #expect(!player.isPlaying)
  }

  @Test func `ends with its owner, although the picture repeats forever`() async {
    var player: FramePlayer? = FramePlayer()
    if let player { play(picture(1, 2), by: player) }
    await clock.sleepers(count: 1)

    player = nil

    #expect(clock.sleeperCount == 0)
  }
}
