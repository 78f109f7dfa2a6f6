import Foundation
import Freshet
import Testing

/// The constants for names of header fields.
@Suite struct RegisteredNamesTests {
  /// The permanent names of the registry, but for `Close` and `*`, which are reserved.
  private static let registered = Set(
    """
    A-IM Accept Accept-Additions Accept-CH Accept-Datetime Accept-Encoding Accept-Features
    Accept-Language Accept-Patch Accept-Post Accept-Ranges Accept-Signature
    Access-Control-Allow-Credentials Access-Control-Allow-Headers Access-Control-Allow-Methods
    Access-Control-Allow-Origin Access-Control-Expose-Headers Access-Control-Max-Age
    Access-Control-Request-Headers Access-Control-Request-Method Age Allow ALPN Alt-Svc Alt-Used
    Alternates Apply-To-Redirect-Ref Authentication-Control Authentication-Info Authorization
    Available-Dictionary Cache-Control Cache-Status Cal-Managed-ID CalDAV-Timezones
    Capsule-Protocol CDN-Cache-Control CDN-Loop Cert-Not-After Cert-Not-Before Clear-Site-Data
    Client-Cert Client-Cert-Chain Concealed-Auth-Export Connection Content-Digest
    Content-Disposition Content-Encoding Content-Language Content-Length Content-Location
    Content-Range Content-Security-Policy Content-Security-Policy-Report-Only Content-Type
    Cookie Cross-Origin-Embedder-Policy Cross-Origin-Embedder-Policy-Report-Only
    Cross-Origin-Opener-Policy Cross-Origin-Opener-Policy-Report-Only
    Cross-Origin-Resource-Policy DASL Date DAV Delta-Base Deprecation Depth Destination
    Detached-JWS Dictionary-ID DPoP DPoP-Nonce Early-Data ETag Expect Expires Forwarded From
    Hobareg Host If If-Match If-Modified-Since If-None-Match If-Range If-Schedule-Tag-Match
    If-Unmodified-Since IM Include-Referred-Token-Binding-ID Keep-Alive Label Last-Event-ID
    Last-Modified Link Link-Template Location Lock-Token Max-Forwards Memento-Datetime Meter
    MIME-Version Negotiate NEL OData-EntityId OData-Isolation OData-MaxVersion OData-Version
    Optional-WWW-Authenticate Ordering-Type Origin Origin-Agent-Cluster OSCORE OSLC-Core-Version
    Overwrite Ping-From Ping-To Position Prefer Preference-Applied Priority Proxy-Authenticate
    Proxy-Authentication-Info Proxy-Authorization Proxy-Status Public-Key-Pins
    Public-Key-Pins-Report-Only Range Redirect-Ref Referer Referrer-Policy Refresh Replay-Nonce
    Repr-Digest Retry-After Schedule-Reply Schedule-Tag Sec-Purpose Sec-Token-Binding
    Sec-WebSocket-Accept Sec-WebSocket-Extensions Sec-WebSocket-Key Sec-WebSocket-Protocol
    Sec-WebSocket-Version Server Server-Timing Set-Cookie Signature Signature-Input SLUG
    SoapAction Status-URI Strict-Transport-Security Sunset TCN TE Timeout Topic Traceparent
    Tracestate Trailer Transfer-Encoding TTL Upgrade Urgency Use-As-Dictionary User-Agent
    Variant-Vary Vary Via Want-Content-Digest Want-Repr-Digest WWW-Authenticate
    X-Content-Type-Options X-Frame-Options
    """
    .split(whereSeparator: \.isWhitespace).map(String.init)
  )

  /// The constants in the sources, with what they write.
  private static func constants() throws -> [(name: String, text: String)] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Freshet/HTTP").standardizedFileURL
    return try ["HTTPHeaders+Name.swift", "HTTPHeaders+RegisteredNames.swift"]
      .flatMap { file in
        try String(contentsOf: folder.appending(path: file), encoding: .utf8)
          .matches(of: #/static let `?(\w+)`?: Self =\s+"([^"]+)"/#)
          .map { (String($0.1), String($0.2)) }
      }
  }

  @Test func `each permanent name of the registry has a constant`() throws {
    let texts = try Self.constants().map(\.text)

    #expect(Self.registered.count > 170)
    #expect(Self.registered.subtracting(texts).sorted() == [])
    #expect(Set(texts).count == texts.count)
  }

  @Test func `a constant is called as the name is written`() throws {
    for (name, text) in try Self.constants() {
      #expect(name.lowercased() == text.replacing("-", with: "").lowercased())
    }
  }

  @Test func `a constant reads the field`() {
    let headers: HTTPHeaders = [.wwwAuthenticate: "Basic", .if: "(<x>)", .te: "trailers"]

    #expect(headers["www-authenticate"] == "Basic")
    #expect(headers["If"] == "(<x>)" && headers["TE"] == "trailers")
    #expect(HTTPHeaders.Name.link == "LINK")
  }
}
