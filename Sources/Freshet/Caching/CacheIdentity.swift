import FreshetEssentials

/// The parts of a request that identify its stored response, see ``Request/cacheIdentity``.
///
/// ```swift
/// var search = Request(.post, url, body: .text(query))
/// search.cacheIdentity = .request()        // this POST only asks, and may be answered by a store
/// ```
///
/// Values in the key are compared exactly; values that are credentials enter it as a digest.
public struct CacheIdentity: Sendable, Hashable {
  enum Scope: Sendable, Hashable {
    case url
    case request
  }

  let scope: Scope
  /// The chosen header fields, in the order of their names in lower case.
  let headers: [HTTPHeaders.Name]

  /// A Boolean value that indicates whether it is ``url``.
  var isURL: Bool { scope == .url && headers.isEmpty }

  private init(_ scope: Scope, _ headers: [HTTPHeaders.Name]) {
    self.scope = scope
    self.headers = headers.sorted {
      ASCII.lowercased($0.rawValue) < ASCII.lowercased($1.rawValue)
    }
  }

  /// The URL alone, the default: `GET` and `HEAD` share their entries, a `QUERY` is identified as by
  /// ``request(with:)``, other methods and requests with a body are never answered from a store.
  public static let url = CacheIdentity(.url, [])

  /// The URL and the values of some header fields, such as `X-Tenant`.
  ///
  /// Fields named by the response's `Vary` need not be listed here.
  ///
  /// - Parameter headers: The fields; an absent field counts as a value.
  /// - Returns: The identity.
  public static func url(with headers: [HTTPHeaders.Name]) -> CacheIdentity {
    CacheIdentity(.url, headers)
  }

  /// Method, URL, body and its media type, coding and language: for a `POST` that only asks.
  ///
  /// It declares the request safe: stores may answer it, it is retried like a `GET`, and it invalidates
  /// nothing. It has no effect on `PUT`, `PATCH` and `DELETE`, or on requests whose body is a file or a stream,
  /// because no key can hold such a body.
  ///
  /// - Parameter headers: Header fields whose values also belong to the key; none by default.
  /// - Returns: The identity.
  public static func request(with headers: [HTTPHeaders.Name] = []) -> CacheIdentity {
    CacheIdentity(.request, headers)
  }
}

extension Request {
  /// A Boolean value that indicates whether the request's key holds method and body, so that stores
  /// may answer it.
  var isIdentifiedWhole: Bool {
    guard cacheIdentity.scope == .request || method == .query, method != .put, method != .patch,
      method != .delete
    else { return false }
    guard let body else { return true }
    if case .bytes = body.source { return true }
    return false
  }
}

extension Request {
  /// A Boolean value that indicates whether the request may change something at the origin (RFC
  /// 9111 section 4.4): its method is not safe, and its ``Request/cacheIdentity`` does not declare
  /// it so.
  var isUnsafe: Bool { !method.isSafe && !isIdentifiedWhole }
}

extension CacheIdentity {
  /// The fields that say how a body is to be read, besides its media type.
  private static let contentFields: [HTTPHeaders.Name] = [.contentEncoding, .contentLanguage]

  /// Returns the text after the URL in the key: empty for the default, a digest otherwise.
  func suffix(of request: Request) -> String {
    let isWhole = request.isIdentifiedWhole
    if headers.isEmpty, !isWhole { return "" }
    var writer = RecordWriter()
    if isWhole, case .bytes(let data)? = request.body?.source {
      writer.append(request.headers[.contentType] ?? request.body?.contentType?.description ?? "")
      writer.append(SHA256Hasher.digest(of: data).hex)
      for name in Self.contentFields where request.headers.contains(name) {
        writer.append(ASCII.lowercased(name.rawValue))
        writer.append(request.headers.members(of: name).joined(separator: ","))
      }
    }
    for name in headers {
      writer.append(ASCII.lowercased(name.rawValue))
      writer.append(request.headers.contains(name) ? 1 : 0)
      writer.append(request.headers.members(of: name).joined(separator: ","))
    }
    let digest = SHA256Hasher.digest(of: Data(writer.bytes)).hex
    return " \(isWhole ? request.method.rawValue : "GET") \(digest)"
  }
}
