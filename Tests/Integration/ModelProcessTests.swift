import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import TestSupport
import Testing

/// A store of models and other processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelProcessTests {
  struct Author: PersistableModel, Equatable {
    static let modelName = "Author"
    let id: Int
    var name: String
    var count = 0
  }

  struct Post: PersistableModel, Equatable {
    static let modelName = "Post"
    static let indexes = [ModelIndex(\Post.number, "number")]
    let id: String
    var number: Int
    var text: String
    var author: Author
  }

  @Test func `acknowledged models survive sixty kills at any moment`() async throws {
    var generator = SeededGenerator(seed: 6)
    try await TemporaryDirectory.scope { directory in
      let place = directory.url.appending(path: "models")
      var acknowledged: Set<Int> = []
      for _ in 0..<60 {
        let first = (acknowledged.max() ?? 0) + 100
        let probe = try ProbeProcess("models", "write", place.path, "\(first)")
        for _ in 0..<Int.random(in: 1...60, using: &generator) {
          acknowledged.insert(try #require(try await probe.number("saved")))
        }
        probe.kill()
        // What it had printed before it was killed was acknowledged too.
        while let number = try await probe.number("saved") { acknowledged.insert(number) }

        let store = ModelStore(directory: place)
        let posts = try await store.models(ModelQuery(Post.self).where(\.number, in: first...))
        let numbers = Set(posts.map(\.number))
        #expect(acknowledged.filter { $0 >= first }.isSubset(of: numbers))
        await store.close()
      }

      let store = ModelStore(directory: place)
      var found: Set<Int> = []
      for try await post in store.scan(ModelQuery(Post.self)) {
        #expect(post.text == String(repeating: "text ", count: post.number % 200))
        #expect(post.author.id == post.number % 5)
        found.insert(post.number)
      }
      #expect(acknowledged.isSubset(of: found))
      await store.close()
    }
  }

  @Test func `two processes and this one count without losing one`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.url.appending(path: "models")
      let probes = try [0, 1]
        .map { _ in
          try ProbeProcess("models", "count", place.path, "200")
        }
      let store = ModelStore(directory: place)
      for _ in 0..<200 {
        try await store.transaction { transaction throws(FreshetError) in
          var author = try transaction.model(Author.self, id: 1) ?? Author(id: 1, name: "counter")
          author.count += 1
          try transaction.save(author)
        }
      }
      for probe in probes { #expect(try await probe.end() == 0) }

      #expect(try await store.model(Author.self, id: 1)?.count == 600)
      await store.close()
    }
  }

  @Test func `an observation follows what another process commits`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.url.appending(path: "models")
      let store = ModelStore(directory: place)
      var observed = store.observe(Author.self, id: 1).makeAsyncIterator()
      #expect(try await observed.next() == .some(nil))
      let probe = try ProbeProcess("models", "rename", place.path, "elsewhere")
      _ = try await probe.line()

      for count in 1...20 {
        try probe.goOn()
        #expect(try await observed.next() == Author(id: 1, name: "elsewhere", count: count))
      }

      probe.kill()
      await store.close()
    }
  }

  @Test func `an observation follows a process that starts while this one writes too`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      let place = directory.url.appending(path: "models")
      let store = ModelStore(directory: place)
      let probe = try ProbeProcess("models", "rename", place.path, "elsewhere")
      _ = try await probe.line()
      let reader = Task {
        for try await authors in store.observe(ModelQuery(Author.self)) {
          let counts = Dictionary(uniqueKeysWithValues: authors.map { ($0.id, $0.count) })
          if counts[1] == 50, counts[2] == 50 { return true }
        }
        return false
      }

      for count in 1...50 {
        try probe.goOn()
        try await store.save(Author(id: 2, name: "here", count: count))
      }

      #expect(try await reader.value)
      probe.kill()
      await store.close()
    }
  }

  @Test func `a scan uses the same memory for any number of models`() async throws {
    try await TemporaryDirectory.scope { directory in
      var peaks: [Int] = []
      for count in [1_000, 40_000] {
        let place = directory.url.appending(path: "models-\(count)").path
        let writer = try ProbeProcess("models", "fill", place, "\(count)")
        #expect(try await writer.end() == 0)

        let probe = try ProbeProcess("models", "scan", place)
        #expect(try await probe.number("scanned") == count)
        peaks.append(try #require(try await probe.number("peak")))
        #expect(try await probe.end() == 0)
      }

      // Forty times as much, and less than SQLite's cache of two mebibytes and the allocator's
      // ways more.
      #expect(peaks[1] < peaks[0] + (Sanitizer.isOn ? 400 << 10 : 4 << 10), "\(peaks)")
    }
  }

  @Test func `removes a temporary store of a killed process later`() async throws {
    try await TemporaryDirectory.scope { directory in
      let probe = try ProbeProcess("models", "temporary", directory.url.path)
      let name = try #require(try await probe.line()?.split(separator: " ").last.map(String.init))
      let left = directory.url.appending(path: name)
      let owner = left.appending(path: "owner").path
      let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3_600)]
      try FileManager.default.setAttributes(old, ofItemAtPath: owner)

      let first = ModelStore.temporary(in: directory.url)
      try await first.save(Author(id: 1, name: "a"))
      #expect(FileManager.default.fileExists(atPath: left.path))

      probe.kill()
      _ = try await probe.end()
      let second = ModelStore.temporary(in: directory.url)
      try await second.save(Author(id: 1, name: "a"))
      #expect(!FileManager.default.fileExists(atPath: left.path))
      await first.close()
      await second.close()
    }
  }
}
