import Freshet
import FreshetTesting

extension TourStep {
  /// The steps in their order; the code of each is the code that it runs.
  static let all = [
    firstFetch, fromMemory, fromDisk, staleThenRevalidated, updated, byHead, originDown, awaited,
    ownOperator, cancelled,
  ]

  static let firstFetch = TourStep(
    title: "A first fetch comes from the network, with progress",
    code: """
      for try await event in client.resource(at: url) {
        show(event)
      }
      """
  ) { world throws(FreshetError) in
    let (client, url) = (world.client, world.url)
    for try await event in client.resource(at: url) {
      show(event)
    }
  }

  static let fromMemory = TourStep(
    title: "A second fetch comes from memory",
    code: firstFetch.code,
    run: firstFetch.run
  )

  static let fromDisk = TourStep(
    title: "After a restart, it comes from disk",
    code: """
      await world.restartStores()
      show(try await world.client.resource(at: url).value)
      """
  ) { world throws(FreshetError) in
    let url = world.url
    await world.restartStores()
    show(try await world.client.resource(at: url).value)
  }

  static let staleThenRevalidated = TourStep(
    title: "Two minutes later, the stale copy is shown immediately and then validated",
    code: """
      world.clock.advance(by: .seconds(120))
      let policy = ResourcePolicy { $0.stale = .beforeValidation }
      for try await event in client.resource(at: url, policy: policy) {
        show(event)
      }
      """
  ) { world throws(FreshetError) in
    let (client, url) = (world.client, world.url)
    world.clock.advance(by: .seconds(120))
    let policy = ResourcePolicy { $0.stale = .beforeValidation }
    for try await event in client.resource(at: url, policy: policy) {
      show(event)
    }
  }

  static let updated = TourStep(
    title: "The origin has a new version, which replaces the old one",
    code: """
      world.publish(version: 2)
      world.clock.advance(by: .seconds(120))
      show(try await client.resource(at: url).value)
      """
  ) { world throws(FreshetError) in
    let (client, url) = (world.client, world.url)
    world.publish(version: 2)
    world.clock.advance(by: .seconds(120))
    show(try await client.resource(at: url).value)
  }

  static let byHead = TourStep(
    title: "Validation by HEAD, as a choice",
    code: """
      world.clock.advance(by: .seconds(120))
      let policy = ResourcePolicy { $0.revalidation = .head }
      show(try await client.resource(at: url, policy: policy).value)
      """
  ) { world throws(FreshetError) in
    let (client, url) = (world.client, world.url)
    world.clock.advance(by: .seconds(120))
    let policy = ResourcePolicy { $0.revalidation = .head }
    show(try await client.resource(at: url, policy: policy).value)
  }

  static let originDown = TourStep(
    title: "The origin is down: the stale copy is used, and its explanation says why",
    code: """
      await world.stopOrigin()
      world.clock.advance(by: .seconds(120))
      show(try await client.resource(at: url).value)
      """
  ) { world throws(FreshetError) in
    let (client, url) = (world.client, world.url)
    await world.stopOrigin()
    world.clock.advance(by: .seconds(120))
    show(try await client.resource(at: url).value)
  }

  static let awaited = TourStep(
    title: "A fetch is started now and awaited later; the origin is back",
    code: """
      try world.restartOrigin()
      let running = client.resource(at: url).start()
      show(try await running.value)
      """
  ) { world throws(FreshetError) in
    let (client, url) = (world.client, world.url)
    try world.restartOrigin()
    let running = client.resource(at: url).start()
    show(try await running.value)
  }

  static let ownOperator = TourStep(
    title: "A chain of stages, with a custom operator: tracing()",
    code: """
      let chain = Fetch.request(Request(.get, url))
        .lookup(in: memory)
        .tracing("after memory")
        .download(over: transport)
        .persist(in: memory)
        .tracing("after persist")
        .settle()
      show(try await chain.value)
      """
  ) { world throws(FreshetError) in
    let (memory, transport, url) = (MemoryStore(), DefaultTransport(), world.url)
    let chain = Fetch.request(Request(.get, url))
      .lookup(in: memory)
      .tracing("after memory")
      .download(over: transport)
      .persist(in: memory)
      .tracing("after persist")
      .settle()
    show(try await chain.value)
  }

  static let cancelled = TourStep(
    title: "Cancelling ends the fetch and closes its connection",
    code: """
      let running = client.resource(at: world.endless).start()
      for try await event in running.events {
        show(event)
        running.cancel()
      }
      """
  ) { world throws(FreshetError) in
    let client = world.client
    do throws(FreshetError) {
      let running = client.resource(at: world.endless).start()
      for try await event in running.events {
        show(event)
        running.cancel()
      }
    } catch {
      show(error)
    }
  }
}
