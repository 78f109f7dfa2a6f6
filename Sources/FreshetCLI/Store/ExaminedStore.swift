import Foundation
import Freshet

#if Redis && !canImport(Darwin)
import FreshetRedis
#endif

/// A store that `freshet store` examines and changes.
protocol ExaminedStore: ResourceStore {
  associatedtype Entry: ExaminedEntry
  associatedtype Entries: AsyncSequence<Entry, FreshetError>

  var entries: Entries { get }
  func statistics() async throws(FreshetError) -> DiskStore.Statistics
  func verify() async throws(FreshetError) -> DiskStore.Verification
  func purge(olderThan age: Duration) async throws(FreshetError) -> Int
  func removeAll(tag: String) async throws(FreshetError)
  func removeAll(prefix: String, partition: String) async throws(FreshetError)
  func removeAll() async throws(FreshetError)
  func close() async
}

/// A store in a server, which processes share.
protocol ServerStore: ExaminedStore, SharedResourceStore {
  /// Connects, and waits for the server's response.
  func connect() async throws(FreshetError)
}

/// A stored response as `freshet store list` prints it.
protocol ExaminedEntry: Sendable {
  var url: URL { get }
  var partition: String { get }
  var status: HTTPStatus { get }
  var length: Int64 { get }
  var digest: SHA256Checksum { get }
  var stored: Date { get }
  var tags: Set<String> { get }
}

extension DiskStore: ExaminedStore {}
extension DiskStore.Entry: ExaminedEntry {}

#if Redis && !canImport(Darwin)
extension SharedStore: ServerStore {}
extension SharedStore.Entry: ExaminedEntry {}
#endif
