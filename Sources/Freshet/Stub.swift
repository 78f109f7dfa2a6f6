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
public struct Spool: Sendable { public static let temporary = Spool() }
final class SpoolWriter { init(_ s: Spool, expectedLength: Int64?) throws(FreshetError) {}
 func append(_ d: Data) throws(FreshetError) {}
 func finish() throws(FreshetError) -> (ResourceBody, SHA256Digest) { (ResourceBody(Data()), SHA256Digest(bytes: Data(count: 32))!) } }
public final class MemoryStore: ResourceStore, Sendable { public init() {}
 public var origin: Resource.Origin { .memory }
  public func find(_ key: CacheKey, for headers: HTTPHeaders) -> StoredResponse? { nil }
  public func keep(_ response: StoredResponse) -> StoredResponse { response }
  public func refresh(_ response: StoredResponse) -> StoredResponse { response }
  public func remove(_ key: CacheKey) {}
}
public final class DiskStore: ResourceStore, Sendable { public init(directory: URL) {}
 public var origin: Resource.Origin { .disk }
 public var spool: Spool { .temporary }
  public func find(_ key: CacheKey, for headers: HTTPHeaders) -> StoredResponse? { nil }
  public func keep(_ response: StoredResponse) -> StoredResponse { response }
  public func refresh(_ response: StoredResponse) -> StoredResponse { response }
  public func remove(_ key: CacheKey) {}
}
public struct DefaultTransport: Transport { public init() {}
 public func send(_ request: Request) -> Transfer { fatalError() } }
extension FreshetError { public var description: String { "" } }
extension SHA256Digest { public var hex: String { "" } }
extension ResourceBody { func sha256() throws(FreshetError) -> SHA256Digest { fatalError() } }
