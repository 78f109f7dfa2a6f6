// The permanent names of the IANA's registry of HTTP fields that `HTTPHeaders+Name.swift` has not.

extension HTTPHeaders.Name {
  /// The field `A-IM` (RFC 3229 section 10.5.3).
  public static let aIM: Self = "A-IM"
  /// The field `Accept-Additions` (RFC 2324 section 2.2.2.1).
  public static let acceptAdditions: Self = "Accept-Additions"
  /// The client hints that the server would like (RFC 8942 section 3.1).
  public static let acceptCH: Self = "Accept-CH"
  /// The field `Accept-Datetime` (RFC 7089 section 2.1.1).
  public static let acceptDatetime: Self = "Accept-Datetime"
  /// The field `Accept-Features` (RFC 2295 section 8.2).
  public static let acceptFeatures: Self = "Accept-Features"
  /// The media types of patches that the resource takes (RFC 5789 section 3.1).
  public static let acceptPatch: Self = "Accept-Patch"
  /// The media types of bodies that the resource takes by POST (Linked Data Platform).
  public static let acceptPost: Self = "Accept-Post"
  /// The units of ranges that the resource has (RFC 9110 section 14.3).
  public static let acceptRanges: Self = "Accept-Ranges"
  /// The field `Accept-Signature` (RFC 9421 section 5.1).
  public static let acceptSignature: Self = "Accept-Signature"
  /// The field `Access-Control-Allow-Credentials` (Fetch).
  public static let accessControlAllowCredentials: Self = "Access-Control-Allow-Credentials"
  /// The field `Access-Control-Allow-Headers` (Fetch).
  public static let accessControlAllowHeaders: Self = "Access-Control-Allow-Headers"
  /// The field `Access-Control-Allow-Methods` (Fetch).
  public static let accessControlAllowMethods: Self = "Access-Control-Allow-Methods"
  /// The origin that may read the response (Fetch).
  public static let accessControlAllowOrigin: Self = "Access-Control-Allow-Origin"
  /// The field `Access-Control-Expose-Headers` (Fetch).
  public static let accessControlExposeHeaders: Self = "Access-Control-Expose-Headers"
  /// The field `Access-Control-Max-Age` (Fetch).
  public static let accessControlMaxAge: Self = "Access-Control-Max-Age"
  /// The field `Access-Control-Request-Headers` (Fetch).
  public static let accessControlRequestHeaders: Self = "Access-Control-Request-Headers"
  /// The field `Access-Control-Request-Method` (Fetch).
  public static let accessControlRequestMethod: Self = "Access-Control-Request-Method"
  /// The methods that the resource has (RFC 9110 section 10.2.1).
  public static let allow: Self = "Allow"
  /// The field `ALPN` (RFC 7639 section 2).
  public static let alpn: Self = "ALPN"
  /// Other places that have the same (RFC 7838 section 3).
  public static let altSvc: Self = "Alt-Svc"
  /// The field `Alt-Used` (RFC 7838 section 5).
  public static let altUsed: Self = "Alt-Used"
  /// The field `Alternates` (RFC 2295 section 8.3).
  public static let alternates: Self = "Alternates"
  /// The field `Apply-To-Redirect-Ref` (RFC 4437 section 12.2).
  public static let applyToRedirectRef: Self = "Apply-To-Redirect-Ref"
  /// The field `Authentication-Control` (RFC 8053 section 4).
  public static let authenticationControl: Self = "Authentication-Control"
  /// The field `Authentication-Info` (RFC 9110 section 11.6.3).
  public static let authenticationInfo: Self = "Authentication-Info"
  /// The field `Available-Dictionary` (RFC 9842 section 2.2).
  public static let availableDictionary: Self = "Available-Dictionary"
  /// The handling of the request by caches (RFC 9211 section 2).
  public static let cacheStatus: Self = "Cache-Status"
  /// The field `Cal-Managed-ID` (RFC 8607 section 5.1).
  public static let calManagedID: Self = "Cal-Managed-ID"
  /// The field `CalDAV-Timezones` (RFC 7809 section 7.1).
  public static let calDAVTimezones: Self = "CalDAV-Timezones"
  /// The field `Capsule-Protocol` (RFC 9297 section 3.4).
  public static let capsuleProtocol: Self = "Capsule-Protocol"
  /// The field `CDN-Cache-Control` (RFC 9213 section 3.1).
  public static let cdnCacheControl: Self = "CDN-Cache-Control"
  /// The field `CDN-Loop` (RFC 8586 section 2).
  public static let cdnLoop: Self = "CDN-Loop"
  /// The field `Cert-Not-After` (RFC 8739 section 3.3).
  public static let certNotAfter: Self = "Cert-Not-After"
  /// The field `Cert-Not-Before` (RFC 8739 section 3.3).
  public static let certNotBefore: Self = "Cert-Not-Before"
  /// The data of the site that the client should delete (Clear Site Data).
  public static let clearSiteData: Self = "Clear-Site-Data"
  /// The field `Client-Cert` (RFC 9440 section 2.2).
  public static let clientCert: Self = "Client-Cert"
  /// The field `Client-Cert-Chain` (RFC 9440 section 2.3).
  public static let clientCertChain: Self = "Client-Cert-Chain"
  /// The field `Concealed-Auth-Export` (RFC 9729).
  public static let concealedAuthExport: Self = "Concealed-Auth-Export"
  /// The digests of the body as it is sent (RFC 9530 section 2).
  public static let contentDigest: Self = "Content-Digest"
  /// The use that is meant for the body, and a name for its file (RFC 6266 section 4).
  public static let contentDisposition: Self = "Content-Disposition"
  /// The languages of those that the body is meant for (RFC 9110 section 8.5).
  public static let contentLanguage: Self = "Content-Language"
  /// The field `Content-Security-Policy` (Content Security Policy).
  public static let contentSecurityPolicy: Self = "Content-Security-Policy"
  /// The field `Content-Security-Policy-Report-Only` (Content Security Policy).
  public static let contentSecurityPolicyReportOnly: Self = "Content-Security-Policy-Report-Only"
  /// The field `Cross-Origin-Embedder-Policy` (HTML).
  public static let crossOriginEmbedderPolicy: Self = "Cross-Origin-Embedder-Policy"
  /// The field `Cross-Origin-Embedder-Policy-Report-Only` (HTML).
  public static let crossOriginEmbedderPolicyReportOnly: Self =
    "Cross-Origin-Embedder-Policy-Report-Only"
  /// The field `Cross-Origin-Opener-Policy` (HTML).
  public static let crossOriginOpenerPolicy: Self = "Cross-Origin-Opener-Policy"
  /// The field `Cross-Origin-Opener-Policy-Report-Only` (HTML).
  public static let crossOriginOpenerPolicyReportOnly: Self =
    "Cross-Origin-Opener-Policy-Report-Only"
  /// The field `Cross-Origin-Resource-Policy` (Fetch).
  public static let crossOriginResourcePolicy: Self = "Cross-Origin-Resource-Policy"
  /// The field `DASL` (RFC 5323 section 3.3).
  public static let dasl: Self = "DASL"
  /// The field `DAV` (RFC 4918 section 10.1).
  public static let dav: Self = "DAV"
  /// The field `Delta-Base` (RFC 3229 section 10.5.1).
  public static let deltaBase: Self = "Delta-Base"
  /// The time since which the resource is deprecated (RFC 9745 section 2).
  public static let deprecation: Self = "Deprecation"
  /// The field `Depth` (RFC 4918 section 10.2).
  public static let depth: Self = "Depth"
  /// The field `Destination` (RFC 4918 section 10.3).
  public static let destination: Self = "Destination"
  /// The field `Detached-JWS` (RFC 9635 section 7.3.3).
  public static let detachedJWS: Self = "Detached-JWS"
  /// The field `Dictionary-ID` (RFC 9842 section 2.3).
  public static let dictionaryID: Self = "Dictionary-ID"
  /// The proof that the client has the key of its token (RFC 9449 section 4.1).
  public static let dPoP: Self = "DPoP"
  /// The field `DPoP-Nonce` (RFC 9449 section 8.1).
  public static let dPoPNonce: Self = "DPoP-Nonce"
  /// The field `Early-Data` (RFC 8470 section 5.1).
  public static let earlyData: Self = "Early-Data"
  /// The behaviour that the server is asked for before the body is sent (RFC 9110 section 10.1.1).
  public static let expect: Self = "Expect"
  /// The client's address and protocol, added by proxies (RFC 7239 section 4).
  public static let forwarded: Self = "Forwarded"
  /// The address of the person behind the client (RFC 9110 section 10.1.2).
  public static let from: Self = "From"
  /// The field `Hobareg` (RFC 7486 section 6.1.1).
  public static let hobareg: Self = "Hobareg"
  /// A condition on states and locks (RFC 4918 section 10.4).
  public static let `if`: Self = "If"
  /// The field `If-Schedule-Tag-Match` (RFC 6638 section 8.3).
  public static let ifScheduleTagMatch: Self = "If-Schedule-Tag-Match"
  /// The field `IM` (RFC 3229 section 10.5.2).
  public static let im: Self = "IM"
  /// The field `Include-Referred-Token-Binding-ID` (RFC 8473 section 5.3).
  public static let includeReferredTokenBindingID: Self = "Include-Referred-Token-Binding-ID"
  /// The field `Keep-Alive` (RFC 2068 section 19.7.1).
  public static let keepAlive: Self = "Keep-Alive"
  /// The field `Label` (RFC 3253 section 8.3).
  public static let label: Self = "Label"
  /// The id after which an event stream continues (HTML).
  public static let lastEventID: Self = "Last-Event-ID"
  /// Other resources, and how they belong to this one (RFC 8288 section 3).
  public static let link: Self = "Link"
  /// The field `Link-Template` (RFC 9652 section 2).
  public static let linkTemplate: Self = "Link-Template"
  /// The field `Lock-Token` (RFC 4918 section 10.5).
  public static let lockToken: Self = "Lock-Token"
  /// The field `Max-Forwards` (RFC 9110 section 7.6.2).
  public static let maxForwards: Self = "Max-Forwards"
  /// The field `Memento-Datetime` (RFC 7089 section 2.1.1).
  public static let mementoDatetime: Self = "Memento-Datetime"
  /// The field `Meter` (RFC 2227 section 3).
  public static let meter: Self = "Meter"
  /// The field `MIME-Version` (RFC 9112 appendix B.1).
  public static let mimeVersion: Self = "MIME-Version"
  /// The field `Negotiate` (RFC 2295 section 8.4).
  public static let negotiate: Self = "Negotiate"
  /// The field `NEL` (Network Error Logging).
  public static let nel: Self = "NEL"
  /// The field `OData-EntityId` (OData).
  public static let oDataEntityId: Self = "OData-EntityId"
  /// The field `OData-Isolation` (OData).
  public static let oDataIsolation: Self = "OData-Isolation"
  /// The field `OData-MaxVersion` (OData).
  public static let oDataMaxVersion: Self = "OData-MaxVersion"
  /// The field `OData-Version` (OData).
  public static let oDataVersion: Self = "OData-Version"
  /// The field `Optional-WWW-Authenticate` (RFC 8053 section 3).
  public static let optionalWWWAuthenticate: Self = "Optional-WWW-Authenticate"
  /// The field `Ordering-Type` (RFC 3648 section 5.1).
  public static let orderingType: Self = "Ordering-Type"
  /// The origin that has caused the request (RFC 6454 section 7).
  public static let origin: Self = "Origin"
  /// The field `Origin-Agent-Cluster` (HTML).
  public static let originAgentCluster: Self = "Origin-Agent-Cluster"
  /// The field `OSCORE` (RFC 8613 section 11.1).
  public static let oscore: Self = "OSCORE"
  /// The field `OSLC-Core-Version` (OSLC Core).
  public static let oslcCoreVersion: Self = "OSLC-Core-Version"
  /// The field `Overwrite` (RFC 4918 section 10.6).
  public static let overwrite: Self = "Overwrite"
  /// The field `Ping-From` (HTML).
  public static let pingFrom: Self = "Ping-From"
  /// The field `Ping-To` (HTML).
  public static let pingTo: Self = "Ping-To"
  /// The field `Position` (RFC 3648 section 6.1).
  public static let position: Self = "Position"
  /// The optional preferences of the client (RFC 7240 section 2).
  public static let prefer: Self = "Prefer"
  /// The preferences that the server has met (RFC 7240 section 3).
  public static let preferenceApplied: Self = "Preference-Applied"
  /// The urgency of the request among others (RFC 9218 section 5).
  public static let priority: Self = "Priority"
  /// The credentials that a proxy asks for (RFC 9110 section 11.7.1).
  public static let proxyAuthenticate: Self = "Proxy-Authenticate"
  /// The field `Proxy-Authentication-Info` (RFC 9110 section 11.7.3).
  public static let proxyAuthenticationInfo: Self = "Proxy-Authentication-Info"
  /// The field `Proxy-Status` (RFC 9209 section 2).
  public static let proxyStatus: Self = "Proxy-Status"
  /// The field `Public-Key-Pins` (RFC 7469 section 2.1).
  public static let publicKeyPins: Self = "Public-Key-Pins"
  /// The field `Public-Key-Pins-Report-Only` (RFC 7469 section 2.1).
  public static let publicKeyPinsReportOnly: Self = "Public-Key-Pins-Report-Only"
  /// The field `Redirect-Ref` (RFC 4437 section 12.1).
  public static let redirectRef: Self = "Redirect-Ref"
  /// The resource that has led to this one (RFC 9110 section 10.1.3).
  public static let referer: Self = "Referer"
  /// The field `Referrer-Policy` (Referrer Policy).
  public static let referrerPolicy: Self = "Referrer-Policy"
  /// The field `Refresh` (HTML).
  public static let refresh: Self = "Refresh"
  /// The field `Replay-Nonce` (RFC 8555 section 6.5.1).
  public static let replayNonce: Self = "Replay-Nonce"
  /// The digests of the whole representation (RFC 9530 section 3).
  public static let reprDigest: Self = "Repr-Digest"
  /// The field `Schedule-Reply` (RFC 6638 section 8.1).
  public static let scheduleReply: Self = "Schedule-Reply"
  /// The field `Schedule-Tag` (RFC 6638 section 8.2).
  public static let scheduleTag: Self = "Schedule-Tag"
  /// The field `Sec-Purpose` (Fetch).
  public static let secPurpose: Self = "Sec-Purpose"
  /// The field `Sec-Token-Binding` (RFC 8473 section 2).
  public static let secTokenBinding: Self = "Sec-Token-Binding"
  /// The field `Sec-WebSocket-Accept` (RFC 6455 section 11.3.3).
  public static let secWebSocketAccept: Self = "Sec-WebSocket-Accept"
  /// The field `Sec-WebSocket-Extensions` (RFC 6455 section 11.3.2).
  public static let secWebSocketExtensions: Self = "Sec-WebSocket-Extensions"
  /// The field `Sec-WebSocket-Key` (RFC 6455 section 11.3.1).
  public static let secWebSocketKey: Self = "Sec-WebSocket-Key"
  /// The field `Sec-WebSocket-Protocol` (RFC 6455 section 11.3.4).
  public static let secWebSocketProtocol: Self = "Sec-WebSocket-Protocol"
  /// The field `Sec-WebSocket-Version` (RFC 6455 section 11.3.5).
  public static let secWebSocketVersion: Self = "Sec-WebSocket-Version"
  /// The software of the server (RFC 9110 section 10.2.4).
  public static let server: Self = "Server"
  /// The time that the server has spent, and on what (Server Timing).
  public static let serverTiming: Self = "Server-Timing"
  /// The field `Signature` (RFC 9421 section 4.2).
  public static let signature: Self = "Signature"
  /// The field `Signature-Input` (RFC 9421 section 4.1).
  public static let signatureInput: Self = "Signature-Input"
  /// The field `SLUG` (RFC 5023 section 9.7).
  public static let slug: Self = "SLUG"
  /// The field `SoapAction` (SOAP 1.1 section 6.1.1).
  public static let soapAction: Self = "SoapAction"
  /// The field `Status-URI` (RFC 2518 section 9.7).
  public static let statusURI: Self = "Status-URI"
  /// The time for which the host is only asked over TLS (RFC 6797 section 6.1).
  public static let strictTransportSecurity: Self = "Strict-Transport-Security"
  /// The time at which the resource goes away (RFC 8594 section 3).
  public static let sunset: Self = "Sunset"
  /// The field `TCN` (RFC 2295 section 8.5).
  public static let tcn: Self = "TCN"
  /// The transfer codings that the client takes (RFC 9110 section 10.1.4).
  public static let te: Self = "TE"
  /// The field `Timeout` (RFC 4918 section 10.7).
  public static let timeout: Self = "Timeout"
  /// The field `Topic` (RFC 8030 section 5.4).
  public static let topic: Self = "Topic"
  /// The position of the request in a trace (Trace Context).
  public static let traceparent: Self = "Traceparent"
  /// The vendor-specific part of the position in a trace (Trace Context).
  public static let tracestate: Self = "Tracestate"
  /// The names of the fields behind the body (RFC 9110 section 6.6.2).
  public static let trailer: Self = "Trailer"
  /// The field `TTL` (RFC 8030 section 5.2).
  public static let ttl: Self = "TTL"
  /// The protocols that the sender would rather speak (RFC 9110 section 7.8).
  public static let upgrade: Self = "Upgrade"
  /// The field `Urgency` (RFC 8030 section 5.3).
  public static let urgency: Self = "Urgency"
  /// The field `Use-As-Dictionary` (RFC 9842 section 2.1).
  public static let useAsDictionary: Self = "Use-As-Dictionary"
  /// The field `Variant-Vary` (RFC 2295 section 8.6).
  public static let variantVary: Self = "Variant-Vary"
  /// The proxies on the way (RFC 9110 section 7.6.3).
  public static let via: Self = "Via"
  /// The field `Want-Content-Digest` (RFC 9530 section 4).
  public static let wantContentDigest: Self = "Want-Content-Digest"
  /// The field `Want-Repr-Digest` (RFC 9530 section 4).
  public static let wantReprDigest: Self = "Want-Repr-Digest"
  /// The credentials that the server asks for (RFC 9110 section 11.6.1).
  public static let wwwAuthenticate: Self = "WWW-Authenticate"
  /// The field `X-Content-Type-Options` (Fetch).
  public static let xContentTypeOptions: Self = "X-Content-Type-Options"
  /// The field `X-Frame-Options` (HTML).
  public static let xFrameOptions: Self = "X-Frame-Options"
}
