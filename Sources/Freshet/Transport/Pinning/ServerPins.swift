public import FreshetEssentials

/// Additional requirements for a host's certificate: a public key, or a certificate in its chain.
///
/// ```swift
/// let pins = ServerPins(keys: [current, backup])
/// let transport = DefaultTransport { $0.pins["api.example.org"] = pins }
/// ```
///
/// - Pins are an addition: the host name and the dates and signatures of the certificates are still checked.
/// - They apply to every connection, new or kept, also after a redirect. Requests to such a host
///   without TLS are refused. A violation throws ``FreshetError/insecure(_:url:)``, before any part of
///   the request is sent. So does a request to a host whose pins have neither a key nor a certificate,
///   and any request if two spellings of a host, such as `a.org` and `A.org`, have different pins.
/// - A server that has lost its key locks its users out: pin a second key that is not in use.
public struct ServerPins: Sendable, Hashable {
  /// The SHA-256 digests of the allowed public keys; empty, the default, to allow any key.
  ///
  /// Each is computed over the `SubjectPublicKeyInfo` in DER (RFC 7469 section 2.4).
  public var keys: Set<SHA256Checksum>
  /// The certificates, in DER, one of which the server's chain has to lead to; empty, the default, for
  /// the transport's authorities.
  ///
  /// They replace the authorities: a certificate can be a root, an intermediate or the server's own,
  /// and need not be signed by an authority.
  public var certificates: [Data]
  /// A Boolean value that indicates whether the pins also apply to all subdomains; `false` by default.
  ///
  /// A host with its own pins only uses those.
  public var includesSubdomains: Bool

  /// Creates pins; all given ones have to match.
  public init(
    keys: Set<SHA256Checksum> = [],
    certificates: [Data] = [],
    includesSubdomains: Bool = false
  ) {
    self.keys = keys
    self.certificates = certificates
    self.includesSubdomains = includesSubdomains
  }

  /// Returns the digest that pins the key of a certificate in DER; `nil` if it is not a certificate.
  ///
  /// It equals the output of this command, in base64:
  ///
  /// ```sh
  /// openssl x509 -in server.pem -noout -pubkey | openssl pkey -pubin -outform der |
  ///   openssl dgst -sha256 -binary | base64
  /// ```
  public static func key(of certificate: Data) -> SHA256Checksum? {
    CertificateKey.digest(in: certificate)
  }

  /// Returns the certificates of a PEM file (RFC 7468), in DER and in order; other contents are ignored.
  public static func certificates(inPEM text: String) -> [Data] {
    text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
      .compactMap { part in
        let lines = part.components(separatedBy: "-----END CERTIFICATE-----")
        guard lines.count > 1 else { return nil }
        return Data(base64Encoded: lines[0], options: .ignoreUnknownCharacters)
      }
  }
}
