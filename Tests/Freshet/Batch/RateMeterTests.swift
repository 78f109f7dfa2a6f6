import FreshetTesting
import Testing

@testable import Freshet

@Suite struct RateMeterTests {
  private func meter(perSecond rate: Double, for seconds: Int, on clock: VirtualClock) -> RateMeter
  {
    var meter = RateMeter()
    meter.record(0, at: clock.now.offset)
    for _ in 0..<seconds * 20 {
      clock.advance(by: .milliseconds(50))
      meter.record(rate * (clock.now.offset / .seconds(1)), at: clock.now.offset)
    }
    return meter
  }

  @Test(arguments: [1, 5, 60])
  func `steady growth has its rate after a second and after a minute`(seconds: Int) {
    let clock = VirtualClock()

    let rate = meter(perSecond: 1_000, for: seconds, on: clock).rate(at: clock.now.offset)

    #expect(abs(rate - 1_000) < 30)
  }

  @Test func `a new rate counts completely after the window`() {
    let clock = VirtualClock()
    var meter = meter(perSecond: 1_000, for: 10, on: clock)
    for step in 1...100 {
      clock.advance(by: .milliseconds(50))
      meter.record(10_000 + Double(step) * 5, at: clock.now.offset)
      let rate = meter.rate(at: clock.now.offset)
      #expect(rate < 1_030 && rate > 90)
    }

    #expect(abs(meter.rate(at: clock.now.offset) - 100) < 30)
  }

  @Test func `a stalled transfer slows down and is 0 after the window`() {
    let clock = VirtualClock()
    let meter = meter(perSecond: 1_000, for: 10, on: clock)

    clock.advance(by: .milliseconds(2_500))
    #expect(abs(meter.rate(at: clock.now.offset) - 500) < 60)
    clock.advance(by: .milliseconds(2_600))
    #expect(meter.rate(at: clock.now.offset) == 0)
  }

  @Test func `reports no rate in the first tenth of a second`() {
    var meter = RateMeter()
    meter.record(0, at: .zero)
    meter.record(1_000_000, at: .milliseconds(1))

    #expect(meter.rate(at: .milliseconds(99)) == 0)
    #expect(meter.rate(at: .milliseconds(100)) == 10_000_000)
  }
}
