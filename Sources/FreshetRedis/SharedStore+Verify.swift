#if Redis && !canImport(Darwin)
public import Freshet
import FreshetEssentials

extension SharedStore {
  /// The result of ``verify()``.
  public typealias Verification = DiskStore.Verification

  /// Reads all stored responses and compares them with their digests; damaged ones are removed, and so are
  /// damaged records.
  ///
  /// It holds one body in memory at a time. The store can be used in the meantime; a response that is
  /// removed or replaced, or expires, while it is read is not damaged. A body that the server has
  /// evicted is missing, and so its response is damaged.
  ///
  /// - Returns: The numbers of responses and bytes, and the damaged responses.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not answered in time, and
  ///   ``/Freshet/FreshetError/cancelled``.
  public func verify() async throws(FreshetError) -> Verification {
    var verification = Verification()
    var listings = entries.makeAsyncIterator()
    while let listing = try await listings.listing() {
      verification.count += 1
      do throws(RedisFailure) {
        switch listing {
        case .damaged(let id, let place, let entry, let url):
          guard try await drop(id, of: entry, place, isPatient: true) else { continue }
          verification.damaged.append(.init(url: url, reason: "its record is damaged"))
        case .entry(let entry):
          verification.bytes = verification.bytes.saturatingSum(entry.length)
          guard let reason = try await damage(of: entry) else { continue }
          let name = names.entry(entry.key)
          guard try await drop(entry.id, of: name, entry.place, isPatient: true) else { continue }
          verification.damaged.append(.init(url: entry.key.shown, reason: reason))
        }
      } catch {
        throw error.error
      }
    }
    return verification
  }

  /// Removes responses that were stored or validated longer ago than `age`.
  ///
  /// A response that another process replaces or validates meanwhile stays. A time that is more than a day
  /// ahead, by a clock that was wrong then, counts as longer ago.
  ///
  /// - Parameter age: The age; a response of exactly this age stays.
  /// - Returns: The number of removed responses.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not answered in time, and
  ///   ``/Freshet/FreshetError/cancelled``; some may have been removed.
  @discardableResult
  public func purge(olderThan age: Duration) async throws(FreshetError) -> Int {
    let (time, latest) = (now() - age / .seconds(1), now() + Invalidations.longestTransfer)
    var count = 0
    for try await entry in entries where entry.stored < time || entry.stored > latest {
      do throws(RedisFailure) {
        if try await drop(entry) { count += 1 }
      } catch {
        throw error.error
      }
    }
    return count
  }

  /// Returns the damage of the body of a response; `nil` if it is intact, or no longer stored.
  func damage(of entry: Entry) async throws(RedisFailure) -> String? {
    let body = try await body(
      at: entry.place,
      length: entry.length,
      digest: entry.digest,
      isPatient: true
    )
    guard case .damaged(let reason) = body else { return nil }
    // A body that has expired or was replaced is missing, too.
    let listing = try await list(entry.key, isPatient: true)
    let isStored = listing.variants.contains {
      $0.variant.id == entry.id && $0.place == entry.place
    }
    return isStored ? reason : nil
  }
}

extension RedisFailure {
  /// A Boolean value that indicates whether a key has another type than the command is for.
  var isWrongType: Bool { isRefused(by: ["WRONGTYPE"]) }
}
#endif
