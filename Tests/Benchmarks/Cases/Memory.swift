import Foundation
import Freshet

/// Hits in memory.
extension Catalogue {
  static let memory: [Benchmark] =
    [1, 1_000, 100_000].map(hit) + [1, 1_000, 100_000].map(peek)
    + [peekFromEight]

  static func stored(_ url: URL, _ body: Data, at time: Date = Date()) -> StoredResponse {
    StoredResponse(
      key: CacheKey(Request(url)),
      varying: .none,
      head: ResponseHead(
        status: .ok,
        headers: [
          .contentType: "image/png", .cacheControl: "max-age=86400", .eTag: "\"0123456789abcdef\"",
          .date: "Mon, 01 Jan 2035 00:00:00 GMT", .contentLength: "\(body.count)",
        ],
        url: url
      ),
      body: ResourceBody(body),
      requestTime: time,
      responseTime: time
    )
  }

  static func urls(_ count: Int) -> [URL] {
    (0..<count).compactMap { URL(string: "https://images.example.org/avatars/large/\($0).png") }
  }

  /// A store and a dictionary with the same entries, under the same keys.
  private static func fill(
    _ urls: [URL]
  ) async throws -> (MemoryStore, MutexDictionary) {
    let store = MemoryStore(configuration: .init(costLimit: 1 << 30, countLimit: 1 << 20))
    let dictionary = MutexDictionary()
    let body = Data(repeating: 1, count: 1_024)
    for url in urls {
      let response = stored(url, body)
      _ = try await store.keep(response)
      dictionary.insert(response, for: response.key.text)
    }
    return (store, dictionary)
  }

  private static func hit(_ entries: Int) -> Benchmark {
    Benchmark(
      name: "memory-hit-\(entries)",
      unit: .cost,
      count: 200_000
    ) { world, _ in
      let urls = urls(world.options.count(entries))
      let (store, dictionary) = try await fill(urls)
      let client = Client { $0.memory = store }
      let requests = urls.map { Request($0) }
      let keys = requests.map { CacheKey($0).text }
      return [
        Contender(name: "freshet") { count, _ in
          for index in 0..<count {
            let resource = try await client.resource(requests[index &* 7919 % requests.count]).value
            guard resource.source == .memory else { throw BenchError("not from memory") }
          }
        },
        Contender(name: "freshet, from a URL") { count, _ in
          for index in 0..<count {
            _ = try await client.resource(at: urls[index &* 7919 % urls.count]).value
          }
        },
        Contender(name: "Mutex dictionary") { count, _ in
          for index in 0..<count {
            guard dictionary.find(keys[index &* 7919 % keys.count]) != nil else {
              throw BenchError("not there")
            }
          }
        },
      ]
    }
  }

  private static func peek(_ entries: Int) -> Benchmark {
    Benchmark(
      name: "peek-\(entries)",
      unit: .cost,
      count: 1_000_000
    ) { world, _ in
      try await peeking(urls(world.options.count(entries)), tasks: 1)
    }
  }

  private static let peekFromEight = Benchmark(
    name: "peek-8-tasks",
    unit: .cost,
    count: 1_000_000
  ) { world, _ in
    try await peeking(urls(world.options.count(1_000)), tasks: 8)
  }

  private static func peeking(_ urls: [URL], tasks: Int) async throws -> [Contender] {
    let (store, dictionary) = try await fill(urls)
    let keys = urls.map { CacheKey(Request($0)) }
    let texts = keys.map(\.text)
    let headers = HTTPHeaders()
    return [
      Contender(name: "freshet") { count, _ in
        try await shared(count, tasks) { index in
          store.peek(keys[index &* 7919 % keys.count], for: headers) != nil
        }
      },
      Contender(name: "Mutex dictionary") { count, _ in
        try await shared(count, tasks) { index in
          dictionary.find(texts[index &* 7919 % texts.count]) != nil
        }
      },
    ]
  }

  private static func shared(
    _ count: Int,
    _ tasks: Int,
    _ look: @escaping @Sendable (Int) -> Bool
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for index in stride(from: task, to: count, by: tasks) {
            guard look(index) else { throw BenchError("not there") }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
