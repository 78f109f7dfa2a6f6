public import FreshetEssentials
import Synchronization

/// A transport that answers from an HTTP archive and never uses the network.
///
/// - A request gets the responses that were recorded for its method and URL, in the recorded order.
///   Fragments, and values that the rules hide, are not compared.
/// - Redirects are followed according to the request, with the recorded response of each hop.
/// - An exchange that was recorded with an error fails with ``FreshetError/ConnectionFailure/other(_:)``
///   after the recorded part of its response.
/// - A success (2xx) whose body was not recorded fails with ``FreshetError/invalidResponse(_:url:)`` after its
///   head. Redirects and error responses whose bodies were not recorded have empty ones.
/// - A request without a recorded response fails with ``FreshetError/invalidRequest(_:url:)``.
///
/// ```swift
/// let replay = try ReplayTransport(contentsOf: archive)
/// let client = Client { $0.transport = replay }
/// ```
public struct ReplayTransport: Transport {
  /// The behavior after the last recorded response for a request.
  public enum Repetition: Sendable, Hashable {
    /// There are no further responses.
    case once
    /// The responses are repeated from the first one.
    case loop
    /// The last response is repeated.
    case last
  }

  /// The parts of a request that are compared with the recorded ones.
  public enum Matching: Sendable, Hashable {
    /// The method and the URL.
    case url
    /// The method, the URL and the body.
    ///
    /// A body that is not shown is compared by its digest; one that was not recorded equals no body.
    case body
  }

  private let tape: ReplayTape

  /// Reads an archive.
  ///
  /// - Parameters:
  ///   - data: The JSON of the archive, written by ``HARRecorder`` or by a browser.
  ///   - repetition: The behavior after the last response for a request; ``Repetition/loop`` by default.
  ///   - matching: The parts of a request that are compared; ``Matching/url`` by default.
  ///   - rules: The rules that the recorder used for secrets; ``SecretRules/standard`` by default.
  /// - Throws: ``FreshetError/file(_:path:)`` if it is not an archive.
  public init(
    _ data: Data,
    repetition: Repetition = .loop,
    matching: Matching = .url,
    rules: SecretRules = .standard
  ) throws(FreshetError) {
    let archive = try HAR(reading: data)
    tape = ReplayTape(archive, named: "the archive", repetition, matching, rules)
  }

  /// Reads an archive from a file, see ``init(_:repetition:matching:rules:)``.
  ///
  /// - Parameters:
  ///   - file: The URL of the archive.
  ///   - repetition: The behavior after the last response for a request; ``Repetition/loop`` by default.
  ///   - matching: The parts of a request that are compared; ``Matching/url`` by default.
  ///   - rules: The rules that the recorder used for secrets; ``SecretRules/standard`` by default.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be read or is not an archive.
  public init(
    contentsOf file: URL,
    repetition: Repetition = .loop,
    matching: Matching = .url,
    rules: SecretRules = .standard
  ) throws(FreshetError) {
    let data = try ResourceBody(BodyFile(opening: file)).data(limit: 1 << 30)
    let archive = try HAR(reading: data, from: file.path)
    tape = ReplayTape(archive, named: file.lastPathComponent, repetition, matching, rules)
  }

  /// Returns a cold transfer of a request.
  public func send(_ request: Request) -> Transfer {
    Transfer(hops: request) { hop in
      Transfer(hop) { () async throws(FreshetError) in try tape.answer(to: hop) }
        .makeAsyncIterator()
    }
  }
}

/// The entries of an archive by request, with the position of the next one.
final class ReplayTape: Sendable {
  private struct Key: Hashable {
    let method: String
    let url: String
    var body = ""
  }

  private let name: String
  private let entries: [Key: [HAR.Entry]]
  private let positions = Mutex<[Key: Int]>([:])
  private let repetition: ReplayTransport.Repetition
  private let matching: ReplayTransport.Matching
  private let rules: SecretRules

  init(
    _ archive: HAR,
    named name: String,
    _ repetition: ReplayTransport.Repetition,
    _ matching: ReplayTransport.Matching,
    _ rules: SecretRules
  ) {
    self.name = name
    self.repetition = repetition
    self.matching = matching
    self.rules = rules
    entries = Dictionary(grouping: archive.log.entries) { entry in
      Key(
        method: entry.request.method,
        url: Self.comparable(entry.request.url, rules),
        body: matching == .body ? entry.request.postData?.comparable(rules) ?? "" : ""
      )
    }
  }

  /// Returns the URL in a form for comparisons: without fragment, default port and secrets, and with a path.
  private static func comparable(_ url: String, _ rules: SecretRules) -> String {
    // A browser does not encode marks such as `[` and `|`, as a request's URL does.
    let written = PercentEncoding.encode(reference: String(url.prefix { $0 != "#" }))
    let url = rules.redacted(url: written)
    guard let parts = URLParts(url) else { return url }
    let scheme = ASCII.lowercased(parts.scheme)
    let own = URLOrigin.port(of: scheme).map(String.init)
    let port = parts.port.flatMap { $0 == own ?? "" ? nil : ":\($0)" } ?? ""
    let rest = parts.rest.hasPrefix("/") ? parts.rest : "/" + parts.rest
    return "\(scheme)://\(ASCII.lowercased(parts.host))\(port)\(rest)"
  }

  func answer(to request: Request) throws(FreshetError) -> Transfer {
    var key = Key(
      method: request.method.rawValue,
      url: Self.comparable(request.url.absoluteString, rules)
    )
    if matching == .body { key.body = comparableBody(of: request) }
    guard let entries = entries[key] else { throw missing(request, "response") }
    guard let index = take(key, of: entries.count) else {
      throw missing(request, "further response")
    }
    return try entries[index].transfer(for: request, from: name)
  }

  private func missing(_ request: Request, _ what: String) -> FreshetError {
    let url = rules.redacted(url: request.url.absoluteString)
    let body = matching == .body ? " with this body" : ""
    return .invalidRequest(
      "\(name) has no \(what) to \(request.method) \(url)\(body)",
      url: Redaction.shown(request.url)
    )
  }

  private func take(_ key: Key, of count: Int) -> Int? {
    positions.withLock { positions in
      let position = positions[key, default: 0]
      positions[key] = position + 1
      return switch repetition {
      case .once: position < count ? position : nil
      case .loop: position % count
      case .last: min(position, count - 1)
      }
    }
  }

  private func comparableBody(of request: Request) -> String {
    guard let bytes = request.body?.recordable(limit: .max) else { return "" }
    let type = request.headers[.contentType] ?? request.body?.contentType?.description
    return rules.shown(body: bytes, contentType: type).comparable
  }
}

extension HAR.PostData {
  /// Returns the body as redacted by the current rules, whatever rules the recorder used.
  fileprivate func comparable(_ rules: SecretRules) -> String {
    guard let text else { return digest ?? "" }
    let bytes = bytesEncoding == "base64" ? Data(base64Encoded: text) : Data(text.utf8)
    return rules.shown(body: bytes ?? Data(), contentType: mimeType).comparable
  }
}

extension ShownBody {
  fileprivate var comparable: String {
    switch self {
    case .text(let text): text
    case .bytes(let bytes): bytes.base64EncodedString()
    case .withheld(let withheld): withheld.digest.hex
    }
  }
}

extension HAR.Entry {
  /// Returns a transfer that delivers the recorded response.
  func transfer(
    for request: Request,
    from archive: String = "the archive"
  ) throws(FreshetError) -> Transfer {
    let url = Redaction.shown(request.url)
    guard response.status > 0 else {
      throw .connection(.other(response.failure ?? "the recording has no response"), url: url)
    }
    let content = response.content ?? HAR.Content()
    let body = try content.bytes(for: url)
    var headers = HTTPHeaders(
      // HTTP/2's pseudo-fields begin with a colon.
      (response.headers ?? []).filter { !$0.name.hasPrefix(":") }
        .map { HTTPHeaders.Field(name: HTTPHeaders.Name($0.name), value: $0.value) }
    )
    let isSuccess = HTTPStatus(response.status).isSuccess && request.method != .head
    let isMissing = isSuccess && content.text == nil && content.size ?? 0 > 0
    // A redacted body may have another length.
    if headers.contains(.contentLength), !headers.contains(.contentEncoding),
      request.method != .head, !isMissing
    {
      headers[.contentLength] = String(body.count)
    }
    let head = ResponseHead(
      status: HTTPStatus(response.status),
      headers: headers,
      url: request.url
    )
    let transfer = Transfer(response: head, body: body)
    let missing = isMissing ? content.missing(from: archive, url) : nil
    let failure = response.failure.map { FreshetError.connection(.other($0), url: url) } ?? missing
    guard let failure else { return transfer }
    return transfer.mapEvents { event throws(FreshetError) in
      if case .finished = event { throw failure }
      return event
    }
  }
}

extension HAR.Content {
  fileprivate func missing(from archive: String, _ url: String) -> FreshetError {
    let reason = comment.map { ": \($0)" } ?? ""
    return .invalidResponse("its body is not in \(archive)\(reason)", url: url)
  }

  func bytes(for url: String) throws(FreshetError) -> Data {
    guard encoding == "base64" else { return Data((text ?? "").utf8) }
    guard let bytes = Data(base64Encoded: text ?? "", options: .ignoreUnknownCharacters) else {
      throw .invalidResponse("its recorded body is not base64", url: url)
    }
    return bytes
  }
}

extension HAR {
  /// Reads an archive.
  fileprivate init(reading data: Data, from path: String = "archive") throws(FreshetError) {
    do {
      self = try JSONDecoder().decode(HAR.self, from: data)
    } catch {
      let failure = DecodingFailure(
        error,
        decoding: HAR.self,
        from: DecodingSource(head: nil, data: data),
        showing: Excerpt(Data())
      )
      throw .file("it is not an HTTP archive: \(failure)", path: path)
    }
  }
}
