// swift-format-ignore-file
// The interface of Foundation and Dispatch on Apple platforms, beyond what Linux has of them, that the sources use, without a body: for the type checker on Linux.
@_exported import Darwin
@_exported import Dispatch
@_exported import Foundation
@_exported import FoundationNetworking

extension Stream {
  public class func getBoundStreams(
    withBufferSize size: Int,
    inputStream: UnsafeMutablePointer<InputStream?>?,
    outputStream: UnsafeMutablePointer<OutputStream?>?
  ) {}
}

public typealias CFWriteStream = OutputStream

public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ queue: DispatchQueue!) {}

public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
  var data: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSource {
  public struct MemoryPressureEvent: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let normal = MemoryPressureEvent(rawValue: 1)
    public static let warning = MemoryPressureEvent(rawValue: 2)
    public static let critical = MemoryPressureEvent(rawValue: 4)
  }

  public class func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent,
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure { fatalError() }
}

extension URLRequest {
  public var allowsExpensiveNetworkAccess: Bool {
    get { true }
    set {}
  }
  public var allowsConstrainedNetworkAccess: Bool {
    get { true }
    set {}
  }
}

extension URLError {
  public enum NetworkUnavailableReason: Int, Sendable {
    case cellular
    case expensive
    case constrained
  }

  public var networkUnavailableReason: NetworkUnavailableReason? { nil }
}

extension URLSessionConfiguration {
  public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
    get { .TLSv12 }
    set {}
  }
}

public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {}

extension DispatchSource {
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32,
    eventMask: DispatchSource.FileSystemEvent,
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject { fatalError() }
}

extension NotificationCenter {
  public struct Notifications: AsyncSequence {
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async -> Notification? { nil }
    }
    public func makeAsyncIterator() -> Iterator { Iterator() }
  }

  public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
    fatalError()
  }
}

extension URLSessionTaskTransactionMetrics {
  public var countOfResponseBodyBytesReceived: Int64 { 0 }
}

public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
