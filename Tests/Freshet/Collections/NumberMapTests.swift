import FreshetTesting
import Testing

@testable import Freshet

@Suite struct NumberMapTests {
  /// Keys that follow one another, keys that are far apart, and any.
  private static let draws: [@Sendable (Int, inout SeededGenerator) -> Int] = [
    { step, generator in max(0, step - Int.random(in: 0..<20, using: &generator)) },
    { _, generator in Int.random(in: 0..<40, using: &generator) * 256 },
    { _, generator in Int.random(in: 0...Int.max, using: &generator) },
    { _, generator in Int.random(in: 0..<64, using: &generator) },
  ]

  @Test(arguments: 0..<4, [1, 2, 3] as [UInt64])
  func `behaves like a dictionary for any operations`(draw: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var map = NumberMap<Int>()
    var model: [Int: Int] = [:]

    for step in 0..<5_000 {
      let known = model.keys.randomElement(using: &generator)
      let drawn = Self.draws[draw](step, &generator)
      let key = Bool.random(using: &generator) ? known ?? drawn : drawn
      switch Int.random(in: 0..<9, using: &generator) {
      case 0..<3:
        map[key] = step
        model[key] = step
      case 3..<6:
        #expect(map.removeValue(forKey: key) == model.removeValue(forKey: key))
      case 6:
        map[key] = nil
        model[key] = nil
      default:
        let result = map.change(key) { value in
          value += step
          return value
        }
        if model[key] != nil { model[key, default: 0] += step }
        #expect(result == model[key])
      }
      #expect(map[key] == model[key] && map[drawn] == model[drawn])
      #expect(map.look(at: key) { $0 } == model[key])
      #expect(map.count == model.count && map.isEmpty == model.isEmpty)
    }

    var all: [Int: Int] = [:]
    map.visit { all[$0] = $1 }
    #expect(all == model)
  }

  @Test func `releases unused places after a burst`() {
    var map = NumberMap<Int>()
    for key in 0..<100_000 { map[key] = key }
    for key in 0..<99_990 { map[key] = nil }

    #expect(map.capacity <= 128)
    #expect((99_990..<100_000).allSatisfy { map[$0] == $0 })
  }

  @Test func `releases removed and replaced values`() {
    final class Thing {}
    var map = NumberMap<Thing>()
    weak var removed: Thing?
    weak var replaced: Thing?
    do {
      let (first, second) = (Thing(), Thing())
      (removed, replaced) = (first, second)
      map[1] = first
      map[2] = second
    }
    #expect(removed != nil && replaced != nil)

    map[1] = nil
    map[2] = Thing()

    #expect(removed == nil && replaced == nil)
  }
}
