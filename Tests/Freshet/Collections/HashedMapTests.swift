import FreshetTesting
import Testing

@testable import Freshet

@Suite struct HashedMapTests {
  /// With few hashes, most keys share theirs with others.
  @Test(arguments: [1, 3, 1_000], [1, 2] as [UInt64])
  func `does what a dictionary does, also for keys of one hash`(hashes: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var map = HashedMap<Int, Int>()
    var model: [Int: Int] = [:]

    for step in 0..<3_000 {
      let key = Int.random(in: 0..<24, using: &generator)
      let hash = key % hashes
      switch Int.random(in: 0..<4, using: &generator) {
      case 0 where model[key] == nil:
        map.insert(step, for: key, hash: hash)
        model[key] = step
      case 1:
        map.removeValue(for: key, hash: hash)
        model[key] = nil
      case 2:
        let isMeant = model[key]?.isMultiple(of: 2) == true
        let isRemoved = map.removeValue(for: key, hash: hash) { $0.isMultiple(of: 2) }
        #expect(isRemoved == isMeant)
        if isMeant { model[key] = nil }
      default:
        let result = map.change(key, hash: hash) { value in
          value += 1
          return value
        }
        if model[key] != nil { model[key, default: 0] += 1 }
        #expect(result == model[key])
      }
      #expect(map.count == model.count)
    }

    var all: [Int: Int] = [:]
    map.visit { all[$0] = $1 }
    #expect(all == model)
  }
}
