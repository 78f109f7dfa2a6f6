#if canImport(Darwin)
import Foundation
import Security

extension URLSessionExchange {
  /// The pins of the host that is asked.
  var pins: ServerPins? { engine.pins.pins(for: request.url) }

  func refuse(_ problem: String) {
    finish(.failure(.insecure(problem, url: shownURL)))
  }
}

extension ServerPins {
  /// Why the server's certificates are not those that are wanted, or `nil`.
  func problem(with trust: SecTrust) -> String? {
    if !certificates.isEmpty {
      let anchors = certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
      SecTrustSetAnchorCertificates(trust, anchors as CFArray)
      SecTrustSetAnchorCertificatesOnly(trust, true)
    }
    guard SecTrustEvaluateWithError(trust, nil) else { return "the server is not trusted" }
    guard !keys.isEmpty else { return nil }
    let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
    let key = chain?.first
      .flatMap {
        CertificateKey.digest(in: SecCertificateCopyData($0) as Data)
      }
    return key.map(keys.contains) == true ? nil : "the server's key is not among the pinned ones"
  }
}
#endif
