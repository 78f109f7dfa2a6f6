import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import FreshetModels

@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelStoreFilesTests {
  @Test func `only the owner can read the files`() async throws {
    try await TemporaryDirectory.scope { directory in
      let store = ModelStore(directory: directory.file("models"))
      try await store.save(Person.sample(1))

      for name in ["models.sqlite", "models.sqlite-wal", "changes"] {
        let path = directory.file("models").appending(path: name).path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600, "\(name)")
      }
      let folder = directory.file("models").path
      let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions]
      #expect(mode as? Int == 0o700)
      await store.close()
    }
  }

  @Test func `a closed store holds none of its files, also after an observation`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      for round in 0..<50 {
        let folder = directory.file("models-\(round)")
        let store = ModelStore(directory: folder)
        for try await _ in store.observe(Person.self, id: 1) { break }
        #if !canImport(Darwin)
        #expect(openDescriptors(below: folder) > 0)
        #endif

        await store.close()

        #expect(openDescriptors(below: folder) == 0)
      }
    }
  }

  @Test func `a store follows a link above it that leads to another directory`() async throws {
    try await TemporaryDirectory.scope { directory in
      let current = directory.file("current").path
      for name in ["1", "2"] {
        let folder = directory.file(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      }
      func lead(to name: String) {
        unlink(current)
        #expect(symlink(name, current) == 0)
      }
      lead(to: "1")
      let folder = directory.file("current").appending(path: "models")
      let store = ModelStore(directory: folder)
      try await store.save(Person.sample(1))

      lead(to: "2")
      try await store.save(Person.sample(2))

      #expect(try await store.models(ModelQuery(Person.self)).map(\.id) == [2])
      await store.close()
      lead(to: "1")
      let first = ModelStore(directory: folder)
      #expect(try await first.models(ModelQuery(Person.self)).map(\.id) == [1])
      await first.close()
    }
  }

  @Test func `SQLite overwrites what is deleted`() async throws {
    let store = ModelStore.temporary()

    let isOverwritten = try await store.transaction { transaction throws(FreshetError) in
      let connection = transaction.connection
      return try connection.reporting { () throws(SQLiteError) in
        try connection.integer("PRAGMA secure_delete") == 1
      }
    }

    #expect(isOverwritten)
  }

  @Test(arguments: [(.process, 1), (.power, 2)] as [(DiskStore.Durability, Int)])
  func `a commit waits for the device if it is to survive a loss of power`(
    durability: DiskStore.Durability,
    level: Int
  ) async throws {
    try await TemporaryDirectory.scope { directory in
      let store = ModelStore(directory: directory.file("models")) { $0.durability = durability }

      let found = try await store.transaction { transaction throws(FreshetError) in
        let connection = transaction.connection
        return try connection.reporting { () throws(SQLiteError) in
          try connection.integer("PRAGMA synchronous")
        }
      }

      // SQLite's NORMAL and FULL.
      #expect(Int(found) == level)
      await store.close()
    }
  }

  @Test func `does not write through a link at the path of the file of changes`() async throws {
    try await TemporaryDirectory.scope { directory in
      let (models, outside) = (directory.file("models"), directory.file("outside"))
      await ModelStore(directory: models).close()
      try FileManager.default.createDirectory(
        at: models,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      try Data("kept".utf8).write(to: outside)
      let note = models.appending(path: "changes")
      try? FileManager.default.removeItem(at: note)
      try FileManager.default.createSymbolicLink(at: note, withDestinationURL: outside)
      let store = ModelStore(directory: models)

      _ = try? await store.save(Person.sample(1))
      await store.close()

      #expect(try Data(contentsOf: outside) == Data("kept".utf8))
    }
  }

  @Test func `does not follow a link at the path of a temporary store's owner`() async throws {
    try await TemporaryDirectory.scope { directory in
      let (place, outside) = (directory.file("models"), directory.file("outside"))
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let owner = place.appending(path: "owner")
      try FileManager.default.createSymbolicLink(at: owner, withDestinationURL: outside)

      #expect(throws: FileFailure.self) { try TemporaryOwner(place) }
      #expect(!FileManager.default.fileExists(atPath: outside.path))
    }
  }

  @Test func `an observation goes on after the database could not be opened for a while`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      let place = directory.url.appending(path: "models")
      let store = ModelStore(directory: place)
      try await store.save(Person.sample(1))
      var people = store.observe(ModelQuery(Person.self)).makeAsyncIterator()
      #expect(try await people.next()?.map(\.id) == [1])
      let file = place.appending(path: "models.sqlite")
      for suffix in ["-wal", "-shm", ""] {
        let part = place.appending(path: "models.sqlite\(suffix)")
        try FileManager.default.moveItem(at: part, to: directory.file("former\(suffix)"))
      }
      try Data("no database".utf8).write(to: file)
      let note = try FileHandle(forWritingTo: place.appending(path: "changes"))
      try note.write(contentsOf: Data(repeating: 7, count: 16))
      let hasFailed = try await eventually {
        if case .failed = store.core.phase { true } else { false }
      }
      #expect(hasFailed)
      try FileManager.default.removeItem(at: file)

      let other = ModelStore(directory: place)
      try await other.save(Person.sample(2))

      var found = try await people.next()
      // The database may be seen before the save.
      if found == [] { found = try await people.next() }
      #expect(found?.map(\.id) == [2])
      await store.close()
      await other.close()
    }
  }

  @Test func `an observation that begins while the store closes ends`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(1))
    let (hasBegun, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
    let busy = Task {
      try await store.transaction { _ in
        hasBegun.open()
        mayEnd.wait()
      }
    }
    try await hasBegun.enter()
    let closing = Task { await store.close() }
    #expect(try await eventually { store.isClosed })

    for try await _ in store.observe(ModelQuery(Tweet.self)) { Issue.record("it has a list") }

    mayEnd.signal()
    try await busy.value
    await closing.value
  }

  @Test func `a damaged database is refused and not changed`() async throws {
    try await TemporaryDirectory.scope { directory in
      let file = try damaged(directory)
      let before = try Data(contentsOf: file)
      let store = ModelStore(directory: directory.url.appending(path: "models"))

      await #expect { try await store.save(Person.sample(1)) } throws: { error in
        "\(error)".contains("damaged")
      }
      await store.close()

      #expect(try Data(contentsOf: file) == before)
    }
  }

  @Test func `a damaged database is moved aside on request, and nothing is deleted`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      let file = try damaged(directory)
      let before = try Data(contentsOf: file)
      var configuration = ModelStore.Configuration()
      configuration.damage = .setAside
      let store = ModelStore(
        directory: directory.url.appending(path: "models"),
        configuration: configuration
      )

      try await store.save(Person.sample(1))

      #expect(try await store.model(Person.self, id: 1) != nil)
      #expect(try Data(contentsOf: URL(filePath: file.path + ".damaged-1")) == before)
      await store.close()
    }
  }

  @Test func `damage of an open store is moved aside too`() async throws {
    try await TemporaryDirectory.scope { directory in
      var configuration = ModelStore.Configuration()
      configuration.damage = .setAside
      let place = directory.url.appending(path: "models")
      let first = ModelStore(directory: place)
      try await first.save((0..<2_000).map { Person.sample($0) })
      await first.close()
      try damagePages(of: place, from: 5, by: 1)

      let second = ModelStore(directory: place, configuration: configuration)
      try await second.save((0..<2_000).map { Person.sample($0, name: "new") })

      #expect(try await second.model(Person.self, id: 1_999)?.name == "new")
      #expect(
        FileManager.default.fileExists(
          atPath: place.appending(path: "models.sqlite.damaged-1").path
        )
      )
      await second.close()
    }
  }

  @Test func `nothing is written behind a write that has met damage`() async throws {
    struct Note: PersistableModel, Hashable {
      static let modelName = "Note"
      let id: Int
    }
    try await TemporaryDirectory.scope { directory in
      let place = directory.url.appending(path: "models")
      let first = ModelStore(directory: place)
      try await first.save((0..<2_000).map { Person.sample($0) })
      await first.close()
      try damagePages(of: place, from: 5, by: 1)

      let second = ModelStore(directory: place)
      await #expect(throws: FreshetError.self) {
        try await second.save((0..<2_000).map { Person.sample($0, name: "new") })
      }
      await #expect(throws: FreshetError.store("the database is damaged")) {
        try await second.save(Note(id: 1))
      }
      await second.close()
    }
  }

  @Test func `damage that a reader finds is moved aside too`() async throws {
    struct Row: PersistableModel, Hashable {
      static let modelName = "Row"
      let id: Int
      var text: String
    }
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let first = ModelStore(directory: place)
      try await first.save((0..<2_000).map { Row(id: $0, text: "some text \($0)") })
      await first.close()
      try damagePages(of: place, from: 8, by: 5)
      let refusing = ModelStore(directory: place)
      await #expect(throws: FreshetError.self) { try await refusing.models(ModelQuery(Row.self)) }
      await refusing.close()

      var configuration = ModelStore.Configuration()
      configuration.damage = .setAside
      let store = ModelStore(directory: place, configuration: configuration)
      var observed = store.observe(ModelQuery(Row.self)).makeAsyncIterator()
      #expect(try await observed.next() == [])
      #expect(try await store.models(ModelQuery(Row.self)) == [])

      let row = Row(id: 1, text: "new")
      try await store.save(row)
      #expect(try await store.models(ModelQuery(Row.self)) == [row])
      var shown = try await observed.next()
      while shown?.isEmpty == true { shown = try await observed.next() }
      #expect(shown == [row])
      let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
      #expect(names.contains("models.sqlite.damaged-1"))
      #expect(!names.contains("models.sqlite.damaged-2"))
      await store.close()
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `observers follow a database that replaces another`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let (observing, other) = (ModelStore(directory: place), ModelStore(directory: place))
      try await other.save(Person.sample(1))
      var observed = observing.observe(ModelQuery(Person.self)).makeAsyncIterator()
      #expect(try await observed.next() == [.sample(1)])

      for suffix in ["-wal", "-shm", ""] {
        let file = place.appending(path: "models.sqlite" + suffix)
        try FileManager.default.moveItem(at: file, to: directory.file("aside" + suffix))
      }
      try await other.save([Person.sample(2), .sample(3)])

      var shown = try await observed.next()
      while let people = shown, people.map(\.id) != [2, 3] { shown = try await observed.next() }
      #expect(shown?.map(\.id) == [2, 3])
      for store in [observing, other] { await store.close() }
    }
  }

  #if !canImport(Darwin)
  @Test func `a change is made again if its database is moved away before the commit`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let store = ModelStore(directory: place)
      try await store.save(Person.sample(1))
      let files = ["-wal", "-shm", ""]
        .map { suffix in
          (place.appending(path: "models.sqlite" + suffix), directory.file("aside" + suffix))
        }
      let isFirst = Mutex(true)

      try await store.transaction { transaction throws(FreshetError) in
        try transaction.save(Person.sample(2))
        isFirst.withLock { isFirst in
          guard isFirst else { return }
          isFirst = false
          for (file, aside) in files { try? FileManager.default.moveItem(at: file, to: aside) }
        }
      }

      let other = ModelStore(directory: place)
      #expect(try await other.models(ModelQuery(Person.self)).map(\.id) == [2])
      for store in [store, other] { await store.close() }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `observers follow a directory that another store makes again`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let (observing, other) = (ModelStore(directory: place), ModelStore(directory: place))
      try await other.save(Person.sample(1))
      var observed = observing.observe(ModelQuery(Person.self)).makeAsyncIterator()
      #expect(try await observed.next() == [.sample(1)])

      try FileManager.default.removeItem(at: place)
      try await other.save([Person.sample(2), .sample(3)])

      var shown = try await observed.next()
      while let people = shown, people.map(\.id) != [2, 3] { shown = try await observed.next() }
      #expect(shown?.map(\.id) == [2, 3])
      for store in [observing, other] { await store.close() }
    }
  }
  #endif

  @Test(.timeLimit(.minutes(5)))
  func `reading follows a database that replaces another`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let (reading, other) = (ModelStore(directory: place), ModelStore(directory: place))
      try await other.save(Person.sample(1))
      #expect(try await reading.model(Person.self, id: 1) == .sample(1))
      let scan = reading.scan(ModelQuery(Person.self))

      for suffix in ["-wal", "-shm", ""] {
        let file = place.appending(path: "models.sqlite" + suffix)
        try FileManager.default.moveItem(at: file, to: directory.file("aside" + suffix))
      }
      #expect(try await reading.model(Person.self, id: 1) == .sample(1))
      try await other.save(Person.sample(2))

      // It looks for another file every 10 ms.
      while try await reading.model(Person.self, id: 1) != nil {}
      #expect(try await reading.models(ModelQuery(Person.self)) == [.sample(2)])
      var scanned: [Person] = []
      for try await person in scan { scanned.append(person) }
      #expect(scanned == [.sample(2)])
      for store in [reading, other] { await store.close() }
    }
  }

  @Test func `creates a directory again that is removed while it is open`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.url.appending(path: "models")
      let store = ModelStore(directory: place)
      try await store.save(Person.sample(1))
      try FileManager.default.removeItem(at: place)

      try await store.save(Person.sample(2))
      await store.close()

      let again = ModelStore(directory: place)
      #expect(try await again.models(ModelQuery(Person.self)) == [.sample(2)])
      await again.close()
    }
  }

  @Test func `a failed save is an error, and a later one works`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.url.appending(path: "models")
      try Data("in the way".utf8).write(to: place)
      let store = ModelStore(directory: place)
      await #expect(throws: FreshetError.self) { try await store.save(Person.sample(1)) }

      try FileManager.default.removeItem(at: place)
      try await store.save(Person.sample(1))

      #expect(try await store.model(Person.self, id: 1) != nil)
      await store.close()
    }
  }

  @Test func `removes temporary stores of ended processes`() async throws {
    try await TemporaryDirectory.scope { directory in
      let names = (0..<3).map { _ in UUID().uuidString }
      for name in names {
        let place = directory.url.appending(path: name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data().write(to: place.appending(path: "owner"))
        let date = name == names[2] ? Date() : Date(timeIntervalSinceNow: -3_600)
        try FileManager.default.setAttributes(
          [.modificationDate: date],
          ofItemAtPath: place.appending(path: "owner").path
        )
      }
      let owned = open(
        directory.url.appending(path: names[0]).appending(path: "owner").path,
        O_RDWR
      )
      flock(owned, LOCK_EX)

      let store = ModelStore.temporary(in: directory.url)
      try await store.save(Person.sample(1))

      let left = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      #expect(Set(left) == [names[0], names[2], store.directory?.lastPathComponent])
      await store.close()
      close(owned)
    }
  }

  @Test func `the injected clock decides the age of a temporary store`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.url.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data().write(to: place.appending(path: "owner"))

      for later in [30.0, 120] {
        let store = ModelStore.temporary(in: directory.url) {
          Date(timeIntervalSinceNow: later)
        }
        try await store.save(Person.sample(1))
        #expect(FileManager.default.fileExists(atPath: place.path) == (later < 60))
        await store.close()
      }
    }
  }

  @Test func `a temporary store is removed with its last reference`() async throws {
    try await TemporaryDirectory.scope { directory in
      var store: ModelStore? = .temporary(in: directory.url)
      let place = try #require(store?.directory)
      try await store?.save(Person.sample(1))
      // The store holds its lock until it has removed the directory.
      let owner = open(place.appending(path: "owner").path, O_RDWR)
      #expect(flock(owner, LOCK_EX | LOCK_NB) != 0)

      store = nil
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          flock(owner, LOCK_EX)
          continuation.resume()
        }
      }

      #expect(!FileManager.default.fileExists(atPath: place.path))
      close(owner)
    }
  }

  @Test func `a store in memory writes no file`() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      try #require(FileManager.default.changeCurrentDirectoryPath(directory.url.path))
      setenv("TMPDIR", directory.url.path, 1)
      let store = ModelStore.inMemory()
      try await store.save((0..<5_000).map { Person.sample($0) })
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      #expect(files.isEmpty)
      #if !canImport(Darwin)
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      let targets = descriptors.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      #expect(!targets.contains { $0.contains("sqlite") || $0.contains("freshet-models") })
      #endif
    }
  }

  private func damagePages(of place: URL, from first: UInt64, by step: UInt64) throws {
    let file = try FileHandle(forWritingTo: place.appending(path: "models.sqlite"))
    for page in stride(from: first * 4_096, to: try file.seekToEnd(), by: Int(step) * 4_096) {
      try file.seek(toOffset: page)
      try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
    }
    try file.close()
  }

  private func damaged(_ directory: TemporaryDirectory) throws -> URL {
    let folder = directory.url.appending(path: "models")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "models.sqlite")
    try Data(repeating: 0x5A, count: 8_192).write(to: file)
    return file
  }
}
