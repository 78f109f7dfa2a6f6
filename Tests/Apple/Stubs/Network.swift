// swift-format-ignore-file
// The interface of the path monitor that the sources use, without a body: for the type checker on Linux.
import Dispatch

public struct NWPath: Sendable {
  public enum Status: Sendable {
    case satisfied
    case unsatisfied
    case requiresConnection
  }

  public var status: Status { .satisfied }
}

public final class NWPathMonitor: @unchecked Sendable {
  public init() {}
  public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
  public func start(queue: DispatchQueue) {}
}
