import Freshet
import Synchronization

/// The least that a memory cache can be.
final class MutexDictionary: Sendable {
  private let entries = Mutex<[String: StoredResponse]>([:])

  func insert(_ response: StoredResponse, for key: String) {
    entries.withLock { $0[key] = response }
  }

  func find(_ key: String) -> StoredResponse? {
    entries.withLock { $0[key] }
  }
}
