import Foundation
import Testing

@testable import FreshetModels

@Suite(.timeLimit(.minutes(5))) struct ChangeSettlementTests {
  let settlements = ChangeSettlements()
  let one = UUID()
  let other = UUID()

  private func number(_ settlement: ChangeSettlement) async -> Int? {
    guard case .confirmed(let output) = await settlement.result() else { return nil }
    return output as? Int
  }

  @Test func `a superseded change has the end of the one in its place`() async {
    let (first, second) = (settlements.add(one), settlements.add(other))
    settlements.forward(one, to: other, second)
    settlements.settle(other, .confirmed(7))

    #expect(await number(first) == 7)
    #expect(await number(second) == 7)
  }

  @Test func `a superseded change has an end that came first`() async {
    let (first, second) = (settlements.add(one), settlements.add(other))
    settlements.settle(other, .confirmed(7))
    settlements.forward(one, to: other, second)

    #expect(await number(first) == 7)
  }

  @Test func `a change is missing in the store only after it was stored`() {
    let settlement = settlements.add(one)
    #expect(settlements.ids == [])
    settlements.setStored(one)
    #expect(settlements.ids == [one])
    withExtendedLifetime(settlement) {}
  }

  @Test func `a superseded change that is missing has the end of the one in its place`() async {
    let first = settlements.add(one)
    settlements.setStored(one)
    let second = settlements.add(other)
    settlements.settle(missing: [one])
    settlements.forward(one, to: other, second)
    settlements.setStored(other)
    settlements.settle(other, .confirmed(7))

    #expect(await number(first) == 7)
  }

  @Test func `a missing change is settled once none is being stored`() async {
    let first = settlements.add(one)
    settlements.setStored(one)
    let second = settlements.add(other)
    settlements.settle(missing: [one])
    #expect(first.current == nil)
    settlements.setStored(other)

    #expect(first.current != nil)
    withExtendedLifetime(second) {}
  }
}
