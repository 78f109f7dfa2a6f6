import Foundation
import Freshet
import Synchronization

/// Hits and writes on disk.
extension Catalogue {
  static let disk: [Benchmark] = [diskHit, diskWrite, diskWrites]

  private static let diskHit = Benchmark(
    name: "disk-hit-10-KiB",
    unit: .rate,
    count: 20_000
  ) { world, _ in
    let folder = world.newFolder("hit")
    let store = DiskStore(directory: folder)
    let urls = urls(world.options.count(2_000))
    let body = Data(repeating: 7, count: 10_240)
    for url in urls { _ = try await store.keep(stored(url, body)) }
    let client = Client {
      $0.memory = nil
      $0.disk = store
    }
    let requests = urls.map { Request($0) }
    let keys = requests.map { CacheKey($0).text }
    var contenders = [
      Contender(name: "freshet") { count, _ in
        for index in 0..<count {
          let resource = try await client.resource(requests[index &* 7919 % requests.count]).value
          guard resource.source == .disk else { throw BenchError("not from disk") }
        }
      }
    ]
    #if !canImport(Darwin)
    let database = try HandWrittenSQLite(folder.appending(path: "hand.sqlite").path)
    for key in keys { try database.write(key, head: Data(count: 300), body: body) }
    contenders.append(
      Contender(name: "SQLite by hand") { count, _ in
        for index in 0..<count {
          guard try database.read(keys[index &* 7919 % keys.count]).count == 10_240 else {
            throw BenchError("not whole")
          }
        }
      }
    )
    #endif
    contenders.append(try plainFiles(keys.count, body, in: folder))
    return contenders
  }

  private static func plainFiles(_ files: Int, _ body: Data, in folder: URL) throws -> Contender {
    let paths = (0..<files).map { folder.appending(path: "\($0).bin") }
    for path in paths { try body.write(to: path) }
    return Contender(name: "plain files") { count, _ in
      for index in 0..<count {
        guard try Data(contentsOf: paths[index &* 7919 % paths.count]).count == 10_240 else {
          throw BenchError("not whole")
        }
      }
    }
  }

  private static let diskWrite = writes("disk-write-10-KiB", tasks: 1)
  private static let diskWrites = writes("disk-write-10-KiB-16-tasks", tasks: 16)

  /// Writes of responses that are stored for the first time, and then replaced by others of the same
  /// length.
  private static func writes(_ name: String, tasks: Int) -> Benchmark {
    Benchmark(name: name, unit: .rate, count: 4_000) { world, _ in
      let folder = world.newFolder("write")
      let store = DiskStore(directory: folder)
      let urls = urls(world.options.count(4_000))
      let bodies = [Data(repeating: 7, count: 10_240), Data(repeating: 8, count: 10_240)]
      let now = Date()
      let responses = bodies.flatMap { body in urls.map { stored($0, body, at: now) } }
      let written = Atomic(0)
      var contenders = [
        Contender(name: "freshet") { count, _ in
          let first = written.add(count, ordering: .relaxed).oldValue
          try await Workers.run(count, tasks: tasks) { index in
            _ = try await store.keep(responses[(first + index) % responses.count])
          }
        }
      ]
      #if !canImport(Darwin)
      _ = try await store.keep(responses[0])
      let database = try HandWrittenSQLite(folder.appending(path: "hand.sqlite").path)
      let keys = urls.map { CacheKey(Request($0)).text }
      let rows = Atomic(0)
      contenders.append(
        Contender(name: "SQLite by hand") { count, _ in
          let first = rows.add(count, ordering: .relaxed).oldValue
          for index in first..<first + count {
            let body = bodies[index / keys.count % bodies.count]
            try database.write(keys[index % keys.count], head: Data(count: 300), body: body)
          }
        }
      )
      #endif
      return contenders
    }
  }
}
