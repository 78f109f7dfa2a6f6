import Foundation
import Freshet

private struct User: Codable, Sendable {
  var id: Int
}

private func many(client: Client, urls: [URL]) async throws {
  for try await event in client.batch(urls).run(maxConcurrent: 6) {
    switch event {
    case .received(let item, let resource): print(item.request.url, resource.body.length)
    case .failed(let item, let error): print(item.request.url, error)
    case .advanced(let whole): print(whole.fraction ?? 0, whole.timeLeft ?? .zero)
    case .started, .progressed, .finished: break
    }
  }
}

private func decoded(client: Client, urls: [URL]) async throws {
  for try await event in client.batch(urls, { $0.contentTypes = .json }).run() {
    guard case .received(let item, let resource) = event else { continue }
    let user = try await resource.decode(User.self).value
    print(item.index, user)
  }
}

private func again(client: Client, urls: [URL]) async throws {
  let result = try await client.batch(urls).run().value
  if !result.failures.isEmpty {
    _ = try await result.failed.run(onFailure: .end).value
  }
}

private func throttled() {
  let polite = Client {
    $0.retry = .standard
    $0.scheduler = RequestScheduler { $0.rate = RequestLimits.Rate(perSecond: 20, burst: 10) }
  }
  _ = polite
}

private func sharedRun(client: Client, urls: [URL]) async throws {
  let run = client.batch(urls).run().share()
  async let result = run.value
  for try await event in run {
    if let whole = event.progress { print(whole.completed, whole.total ?? 0) }
  }
  print(try await result.completedItems)
}

private func planned(client: Client, urls: [URL]) async throws -> BatchResult {
  let plan = try await client.batch(urls).plan().value
  print(plan.totals.items, plan.totals.bytes, plan.totals.unknown, plan.totals.fresh)

  let small = plan.filter { ($0.need.bytes ?? 0) < 1 << 20 }
  let stored = try JSONEncoder().encode(small)
  let later = try JSONDecoder().decode(BatchPlan.self, from: stored)
  let result = try await later.run(with: client).value
  return result
}

private func continued(client: Client, urls: [URL], file: URL) async throws -> BatchResult {
  let journal = BatchJournal(at: file)
  let batch = try journal.remaining().map { client.batch($0) } ?? client.batch(urls)
  let result = try await batch.run(journal: journal).value
  return result
}

private func coalesced(request: Request, memory: MemoryStore, transport: DefaultTransport) {
  let coalescer = Coalescer()
  let logo = Fetch.request(request)
    .lookup(in: memory)
    .coalesce(in: coalescer)
    .download(over: transport)
    .persist(in: memory)
    .settle()
  _ = logo
}

private func shared(client: Client, url: URL) async throws -> [Resource] {
  let logo = client.resource(at: url).share()
  async let small = logo.value
  async let large = logo.value
  return try await [small, large]
}

private func prefetched(client: Client, urls: [URL]) {
  let prefetching = client.batch(urls, priority: .low).run().start()
  _ = prefetching
}
