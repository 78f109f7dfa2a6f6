#if canImport(Darwin)
import FreshetEssentials
import Security

extension SecTrust {
  /// Asks for the app's decision, and trusts the last certificate of a chain that it accepts.
  ///
  /// - Returns: Why the server is refused, or `nil`: then it is evaluated once more.
  func problem(with host: String, after decide: ServerTrust.Decision) -> String? {
    let isTrusted = SecTrustEvaluateWithError(self, nil)
    let chain = SecTrustCopyCertificateChain(self) as? [SecCertificate] ?? []
    let server = ServerTrust(
      host: host,
      certificates: chain.map { SecCertificateCopyData($0) as Data },
      problem: isTrusted ? nil : "the server is not trusted"
    )
    guard decide(server) else { return "the app does not trust the server" }
    if !isTrusted, let last = server.certificates.last { accept([last]) }
    return nil
  }
}
#endif
