public import Foundation
public enum ExpiryPolicy: Sendable, Hashable { case http, after(Duration), never, always }
public struct StaleAllowance: Sendable, Hashable { public var whileRevalidating: Bool; public var onError: Bool }
public enum Reuse: Sendable, Hashable, CustomStringConvertible { case fresh; case stale(Staleness); public var description: String { "" }
 public struct Staleness: Sendable, Hashable { public var allowance: StaleAllowance } }
enum ReusePolicy { static func decide(_ r: Request, _ s: StoredResponse, now: Date, expiry: ExpiryPolicy) -> Reuse { .fresh } }
enum StoragePolicy { enum D { case storable; case notStorable(String) }
 static func decide(_ r: Request, _ s: ResponseHead, expiry: ExpiryPolicy) -> D { .storable } }
enum Validation { static func conditional(_ r: Request, _ s: StoredResponse) -> Request? { nil }
 static func isSame(_ h: ResponseHead, _ s: StoredResponse) -> Bool { false }
 static func merged(_ h: ResponseHead, into s: ResponseHead) -> ResponseHead { s } }
public final class MemoryStore: ResourceStore, Sendable { public init() {}
 public var origin: Resource.Origin { .memory }
  public func find(_ key: CacheKey, for headers: HTTPHeaders) -> StoredResponse? { nil }
  public func close() async {}
  public func keep(_ response: StoredResponse) -> StoredResponse { response }
  public func refresh(_ response: StoredResponse) -> StoredResponse { response }
  public func remove(_ key: CacheKey) {}
}
public final class DiskStore: ResourceStore, Sendable { public init(directory: URL) {}
 public var origin: Resource.Origin { .disk }
 public var spool: Spool { .temporary }
  public func find(_ key: CacheKey, for headers: HTTPHeaders) -> StoredResponse? { nil }
  public func close() async {}
  public func keep(_ response: StoredResponse) -> StoredResponse { response }
  public func refresh(_ response: StoredResponse) -> StoredResponse { response }
  public func remove(_ key: CacheKey) {}
}
