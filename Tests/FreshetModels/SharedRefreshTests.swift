import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetModels

@Suite(.timeLimit(.minutes(5))) struct SharedRefreshTests {
  @Test func `a failure is told, though another refresh follows at once`() async throws {
    let store = ModelStore.temporary()
    let gates = [Gate(), Gate()]
    let count = Mutex(0)
    let shared = SharedRefresh<Int, FreshetError>(store, [.tag("springs")]) {
      let number = count.withLock { count in
        defer { count += 1 }
        return min(count, 1)
      }
      try? await gates[number].enter()
      return number == 0 ? .failed(.noValue) : .fresh
    }
    let (id, isRunning) = shared.join(ModelSubscription(), isDue: true)
    #expect(isRunning)
    #expect(await gates[0].waiting())
    store.invalidate(tag: "springs")
    gates[0].open()
    #expect(await gates[1].waiting())

    guard case .failed(.noValue) = shared.takeNews(id) else {
      Issue.record("the failure is not told")
      return
    }
    guard case .refreshing = shared.takeNews(id) else {
      Issue.record("the refresh behind it is not told")
      return
    }
    #expect(shared.takeNews(id) == nil)
    gates[1].open()
    shared.leave(id)
  }

  @Test func `a change that is confirmed while a refresh runs has another one behind it`()
    async throws
  {
    let store = ModelStore.temporary()
    let gates = [Gate(), Gate(), Gate()]
    let count = Mutex(0)
    let shared = SharedRefresh<Int, FreshetError>(store, []) {
      let number = count.withLock { count in
        defer { count += 1 }
        return min(count, 2)
      }
      try? await gates[number].enter()
      return .fresh
    }
    gates[0].open()
    _ = await shared.refresh()
    let (id, isRunning) = shared.join(ModelSubscription(), isDue: true)
    #expect(isRunning)
    #expect(await gates[1].waiting())

    // It was sent before the first refresh has ended.
    store.core.confirmationObservers.notify(0)
    gates[1].open()

    #expect(await gates[2].waiting())
    gates[2].open()
    shared.leave(id)
  }

  @Test func `a live value ends when the store is closed before it asks for the last refresh`()
    async throws
  {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(1))
    let refresh = LiveRefresh<[Person], FreshetError>(
      store: store,
      policy: .after(.seconds(60)),
      name: [],
      now: { Date() },
      isMissing: { _ in
        store.core.closed()
        return false
      },
      saving: .adding,
      words: { PipelineDescription("test") },
      run: {}
    )
    let live = LiveSequence(store.observe(ModelQuery(Person.self)), refresh)
    var values = live.makeAsyncIterator()

    #expect(try await values.next() == nil)
  }
}
