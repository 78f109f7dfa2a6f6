import Foundation
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
