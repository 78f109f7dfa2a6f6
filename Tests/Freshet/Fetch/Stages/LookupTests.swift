import Freshet
import FreshetTesting
import Testing

@Suite struct LookupTests {
  let world = FetchWorld()

  @Test func `forwards the wanted step on a miss, and explains it`() async throws {
    let chain = Fetch.request(try world.request).lookup(in: world.memory)

    var steps = chain.makeAsyncIterator()
    guard case .wanted(let wanted)? = try await steps.next() else {
      Issue.record("not wanted")
      return
    }
    #expect(Array(wanted.explanation) == [.missed(.memory)])
    let end = try await steps.next(isolation: #isolation)
    #expect(end == nil)
  }

  @Test func `turns the wanted step into found`() async throws {
    try await world.store(world.minute("one"))

    let chain = Fetch.request(try world.request).lookup(in: world.memory)

    #expect(try await chain.names == ["found"])
  }

  @Test func `the first store with a copy answers`() async throws {
    try await world.store(world.minute("one"))

    let chain = Fetch.request(try world.request)
      .lookup(in: MemoryStore())
      .lookup(in: world.memory)
      .lookup(in: MemoryStore())
      .settle()

    let resource = try await chain.value
    #expect(Array(resource.explanation) == [.missed(.memory), .hit(.memory)])
  }

  @Test func `partitions share no responses`() async throws {
    try await world.store(world.minute("one"))

    let chain = Fetch.request(try world.request, partition: "somebody").lookup(in: world.memory)

    #expect(try await chain.names == ["wanted"])
  }

  @Test func `a cancelled task makes no step`() async throws {
    let chain = Fetch.request(try world.request).lookup(in: world.memory)
    let gate = Gate()

    let task = Task {
      await gate.waiting()
      return try await chain.names
    }
    task.cancel()
    gate.open()

    let error = await #expect(throws: FreshetError.self) { try await task.value }
    #expect(error?.kind == "cancelled")
  }
}
