public import Foundation

/// What a host has to prove besides what every server has to prove: a key or a certificate that the
/// app knows.
///
/// ```swift
/// let pins = ServerPins(keys: [current, backup])
/// let transport = DefaultTransport { $0.pins["api.example.org"] = pins }
/// ```
///
/// - Pins come on top: the host's name and the certificates' dates and signatures are still checked.
/// - They hold for every connection, new or kept, also after a redirect; without TLS such a host is
///   not asked at all. What breaks them is ``FreshetError/insecure(_:url:)``, before anything of the
///   request has been sent.
/// - A server that has lost its key locks its users out: pin a second key that is not in use.
public struct ServerPins: Sendable, Hashable {
  /// The SHA-256 of each key that the server's certificate may have, over its
  /// `SubjectPublicKeyInfo` in DER (RFC 7469 section 2.4); empty, the default, for any key.
  public var keys: Set<SHA256Digest>
  /// The certificates, in DER, one of which the server's chain has to lead to; empty, the default,
  /// for the transport's authorities.
  ///
  /// They stand in the authorities' place: one that is not signed by any authority will do, and
  /// it may be an authority, an authority in between, or the server's own.
  public var certificates: [Data]
  /// Whether the pins hold for all hosts below the named one too; `false` by default.
  ///
  /// A host with pins of its own has those only.
  public var includesSubdomains: Bool

  /// Makes pins; all that are given have to hold.
  public init(
    keys: Set<SHA256Digest> = [],
    certificates: [Data] = [],
    includesSubdomains: Bool = false
  ) {
    self.keys = keys
    self.certificates = certificates
    self.includesSubdomains = includesSubdomains
  }

  /// The digest by which the key of a certificate in DER is pinned; `nil` if that is none.
  ///
  /// It is what this prints, in base64:
  ///
  /// ```sh
  /// openssl x509 -in server.pem -noout -pubkey | openssl pkey -pubin -outform der |
  ///   openssl dgst -sha256 -binary | base64
  /// ```
  public static func key(of certificate: Data) -> SHA256Digest? {
    CertificateKey.digest(in: certificate)
  }

  /// The certificates of a PEM file (RFC 7468), in DER and in order; what else it holds is passed.
  public static func certificates(inPEM text: String) -> [Data] {
    text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
      .compactMap { part in
        let lines = part.components(separatedBy: "-----END CERTIFICATE-----")
        guard lines.count > 1 else { return nil }
        return Data(base64Encoded: lines[0], options: .ignoreUnknownCharacters)
      }
  }
}
