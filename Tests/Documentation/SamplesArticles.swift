import Foundation
import Freshet

private func overview(caches: URL, url: URL) async throws {
  let client = Client { $0.disk = DiskStore(directory: caches) }

  for try await event in client.resource(at: url) {
    switch event {
    case .progress(let progress): print(progress.completed)
    case .value(let resource): print(resource.explanation)
    }
  }

  let logo = try await client.resource(at: url).value
  _ = logo
}

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Tells how large each download was.
  func reportDownloads() -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    map { step in
      if case .downloaded(let downloaded) = step {
        print("\(downloaded.response.body.length) bytes")
      }
      return step
    }
  }
}

private func ownStage(request: Request, memory: MemoryStore, transport: DefaultTransport) {
  let logo = Fetch.request(request)
    .lookup(in: memory)
    .download(over: transport)
    .reportDownloads()
    .persist(in: memory)
    .settle()
  _ = logo
}
