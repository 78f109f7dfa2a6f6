import Foundation
import Synchronization
import Testing

@testable import Freshet

@Suite struct DiskStoreEvictionTests {
  let sandbox = StoreSandbox()

  @Test(arguments: [1_000, 20_000])
  func `stays near its limit and removes the least recently used entries`(length: Int) async throws
  {
    let clock = Mutex(0.0)
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = Int64(length + 400) * 50
    var tuning = DiskStore.Tuning()
    tuning.now = {
      clock.withLock { time in
        time += 1
        return Date(timeIntervalSinceReferenceDate: time)
      }
    }
    let store = DiskStore(
      directory: sandbox.url,
      configuration: configuration,
      tuning: tuning,
      onDiagnostic: nil
    )

    for number in 0..<200 {
      _ = try await store.keep(try sample(number, length))
      // One that is used all the time stays.
      #expect(await store.find(try sample(0, length).key, for: [:]) != nil)
      let bytes = try await store.statistics().bytes
      #expect(bytes <= Int64(length + 400) * 50 + Int64(length + 1_000))
    }
    await store.close()

    let reopened = DiskStore(directory: sandbox.url, configuration: configuration)
    let count = try await reopened.statistics().count
    #expect((40...52).contains(count))
    #expect(await reopened.find(try sample(199, length).key, for: [:]) != nil)
    #expect(await reopened.find(try sample(1, length).key, for: [:]) == nil)
    let files = sandbox.files(in: "bodies").count
    #expect(files == (length > 16_384 ? count : 0))
  }

  @Test func `uses survive a restart`() async throws {
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = 1_400 * 10
    let first = DiskStore(directory: sandbox.url, configuration: configuration)
    for number in 0..<8 { _ = try await first.keep(try sample(number, 1_000)) }
    _ = await first.find(try sample(0, 1_000).key, for: [:])
    await first.close()

    let second = DiskStore(directory: sandbox.url, configuration: configuration)
    for number in 8..<14 { _ = try await second.keep(try sample(number, 1_000)) }
    await second.close()

    let third = DiskStore(directory: sandbox.url, configuration: configuration)
    #expect(await third.find(try sample(0, 1_000).key, for: [:]) != nil)
    #expect(await third.find(try sample(1, 1_000).key, for: [:]) == nil)
  }

  @Test func `entries that a clock that was ahead has used do not outlast all others`() async throws
  {
    let clock = Mutex(Date(timeIntervalSinceReferenceDate: 900_000_000))
    let tuning = DiskStore.Tuning { clock.withLock { $0 } }
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = 1_400 * 10
    func store() -> DiskStore {
      DiskStore(
        directory: sandbox.url,
        configuration: configuration,
        tuning: tuning,
        onDiagnostic: nil
      )
    }
    let ahead = store()
    for number in 0..<8 { _ = try await ahead.keep(try sample(number, 1_000)) }
    await ahead.close()

    clock.withLock { $0 -= 400 * 86_400 }
    let later = store()
    for number in 8..<16 {
      _ = try await later.keep(try sample(number, 1_000))
      clock.withLock { $0 += 1 }
    }
    await later.writer.rest()

    #expect(await later.find(try sample(0, 1_000).key, for: [:]) == nil)
    for number in 8..<16 {
      #expect(await later.find(try sample(number, 1_000).key, for: [:]) != nil)
    }
  }

  @Test func `refuses a response that is larger than the store, and loses nothing`()
    async throws
  {
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = 10_000
    let store = DiskStore(directory: sandbox.url, configuration: configuration)
    _ = try await store.keep(try sample(1, 1_000))

    await #expect(throws: FreshetError.self) {
      try await store.keep(try sample(2, 20_000))
    }
    #expect(await store.find(try sample(1, 1_000).key, for: [:]) != nil)
  }

  @Test(
    arguments: [
      (0.5, 500_000), (.infinity, .max), (-.infinity, .min), (1e300, .max), (.nan, 0),
    ] as [(Double, Int64)]
  )
  func `any time can be that of a use`(seconds: Double, stamp: Int64) {
    #expect(DiskTouches.stamp(Date(timeIntervalSince1970: seconds)) == stamp)
  }

  private func sample(_ number: Int, _ length: Int) throws -> StoredResponse {
    try .sample("https://example.org/\(number)", body: noise(length, seed: UInt64(number)))
  }
}
