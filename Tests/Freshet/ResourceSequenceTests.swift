import Foundation
import Freshet
import FreshetTesting
import Testing

/// The preset does what its stages do when they are written out, whatever short cuts it takes.
@Suite struct ResourceSequenceTests {
  @Test(arguments: PresetSituation.all)
  func `agrees with the written chain`(situation: PresetSituation) async throws {
    let preset = try await PresetWorld(situation).trace { world in world.preset }
    let chain = try await PresetWorld(situation).trace { world in world.chain }

    #expect(preset == chain)
    #expect(!preset.events.isEmpty || preset.error != nil)
  }

  @Test(arguments: PresetSituation.all)
  func `agrees with a batch of one`(situation: PresetSituation) async throws {
    let preset = try await PresetWorld(situation).trace { world in world.preset }
    let item = try await PresetWorld(situation).item { world in world.batch }

    #expect(item == preset)
  }

  @Test(arguments: PresetSituation.all)
  func `its value is the last value of the written chain`(
    situation: PresetSituation
  ) async throws {
    let preset = try await PresetWorld(situation).value { world in try await world.preset.value }
    let chain = try await PresetWorld(situation).value { world in try await world.chain.value }

    #expect(preset == chain)
  }

  @Test func `a task that is cancelled before the start gets nothing from memory`() async throws {
    let world = try await PresetWorld(PresetSituation("fresh in memory", memory: "max-age=60"))
    let sequence = world.preset

    let error = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await thrown { try await sequence.value }
    }
    .value

    #expect(error == .cancelled)
  }

  @Test func `iterating it twice looks twice`() async throws {
    let world = try await PresetWorld(PresetSituation("nothing", answers: [.other]))
    let sequence = world.preset

    let first = try await sequence.value.source
    let second = try await sequence.value.source

    #expect([first, second] == [.network, .memory])
  }
}
