import Testing

@testable import Freshet

@Suite struct EvictionCandidateTests {
  private func excess(over limit: Int64) -> [String] {
    let candidates = [(1, 10), (2, 40), (3, 20)]
      .map { used, bytes in
        EvictionCandidate(name: "\(used)", bytes: bytes, used: Double(used))
      }
    return candidates.excess(over: limit).map(\.name)
  }

  @Test func `what was used last stays, and of the rest what there is room for`() {
    #expect(excess(over: 70) == [])
    #expect(excess(over: 69) == ["1"])
    #expect(excess(over: 59) == ["2"])
    #expect(excess(over: 29) == ["2", "1"])
    #expect(excess(over: 0) == ["3", "2", "1"])
  }
}
