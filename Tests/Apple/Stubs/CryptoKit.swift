// swift-format-ignore-file
// The interface of CryptoKit that the sources use, without a body: for the type checker on Linux.
@_exported import Foundation

public protocol Digest: Sendable, Sequence, ContiguousBytes where Element == UInt8 {
  static var byteCount: Int { get }
}

public protocol HashFunction: Sendable {
  associatedtype Digest: CryptoKit.Digest
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Digest
}

extension HashFunction {
  public mutating func update(data: some DataProtocol) {}
}

public struct HashedBytes: Digest {
  public static var byteCount: Int { 0 }
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

public struct SHA256: HashFunction {
  public typealias Digest = HashedBytes
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> HashedBytes { HashedBytes() }
}

public struct SHA512: HashFunction {
  public typealias Digest = HashedBytes
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> HashedBytes { HashedBytes() }
}

public enum Insecure {
  public struct MD5: HashFunction {
    public typealias Digest = HashedBytes
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> HashedBytes { HashedBytes() }
  }

  public struct SHA1: HashFunction {
    public typealias Digest = HashedBytes
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> HashedBytes { HashedBytes() }
  }
}
