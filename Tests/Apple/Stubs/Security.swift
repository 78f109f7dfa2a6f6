// swift-format-ignore-file
// The interface of Security, and of Foundation where it names Security's types, that the sources use, without a body: for the type checker on Linux.
@_exported import AppleFoundation
@_exported import CoreGraphics

public final class SecIdentity {}
public final class SecCertificate {}
public final class SecTrust {}
public typealias CFArray = NSArray
public typealias CFError = NSError

public func SecCertificateCreateWithData(_ allocator: AnyObject?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { Data() }
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray) -> Int32 { 0 }
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> Int32 { 0 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { true }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }

public let NSURLAuthenticationMethodClientCertificate = ""
public let NSURLAuthenticationMethodServerTrust = ""

extension URLProtectionSpace {
  public var serverTrust: SecTrust? { nil }
}

extension URLCredential {
  public convenience init(trust: SecTrust) {
    self.init(user: "", password: "", persistence: .none)
  }
  public convenience init(
    identity: SecIdentity,
    certificates: [Any]?,
    persistence: URLCredential.Persistence
  ) {
    self.init(user: "", password: "", persistence: persistence)
  }
}
