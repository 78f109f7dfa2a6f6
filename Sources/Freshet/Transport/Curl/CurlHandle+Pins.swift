#if !canImport(Darwin)
import CCurl
import FreshetEssentials

extension CurlHandle {
  /// Sets the pins of the request's host.
  ///
  /// A handle with pins is not used again, so that the options need not be reset.
  func setPins(for url: URL) {
    guard let pins = loop.pins.pins(for: url) else { return }
    isPinned = true
    if !pins.keys.isEmpty {
      let keys = pins.keys.map { "sha256//" + $0.bytes.base64EncodedString() }
      set(CURLOPT_PINNEDPUBLICKEY, keys.joined(separator: ";"))
    }
    guard !pins.certificates.isEmpty else { return }
    let authorities = pins.certificates.map(Self.pem).joined()
    set(CURLOPT_CAINFO_BLOB, blob: Data(authorities.utf8))
    set(CURLOPT_CAPATH, nil)
  }

  private static func pem(_ certificate: Data) -> String {
    let lines = certificate.base64EncodedString(options: [
      .lineLength64Characters, .endLineWithLineFeed,
    ])
    return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
  }
}
#endif
