import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

/// Databases of somebody else, by what their header says.
@Suite(.serialized) struct ModelStoreVersionTests {
  enum Other: CaseIterable {
    case newerVersion, otherProgram

    /// Where SQLite keeps it, as four bytes of a number, the last of them the least.
    var offset: UInt64 { self == .newerVersion ? 60 : 68 }
  }

  private func change(_ file: URL, at offset: UInt64, by step: UInt8) throws {
    let handle = try FileHandle(forUpdating: file)
    defer { try? handle.close() }
    try handle.seek(toOffset: offset + 3)
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: offset + 3)
    try handle.write(contentsOf: Data([byte &+ step]))
  }

  @Test(arguments: Other.allCases, [ModelStore.Damage.refuse, .setAside])
  func `models of a newer version or of another program are not changed`(
    other: Other,
    damage: ModelStore.Damage
  ) async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let first = ModelStore(directory: place)
      try await first.save(Person.sample(1))
      await first.close()
      let file = place.appending(path: "models.sqlite")
      try change(file, at: other.offset, by: 1)
      let before = try Data(contentsOf: file)
      var configuration = ModelStore.Configuration()
      configuration.damage = damage
      let store = ModelStore(directory: place, configuration: configuration)

      await #expect { try await store.save(Person.sample(2)) } throws: {
        ($0 as? FreshetError)?.kind == "store"
      }
      await #expect { try await store.model(Person.self, id: 1) } throws: {
        ($0 as? FreshetError)?.kind == "store"
      }
      await store.close()

      let isSame = try Data(contentsOf: file).elementsEqual(before)
      #expect(isSame)
      let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
      #expect(!names.contains { $0.contains("damaged") })
      try change(file, at: other.offset, by: 255)
      let again = ModelStore(directory: place)
      #expect(try await again.model(Person.self, id: 1) == .sample(1))
      await again.close()
    }
  }
}
