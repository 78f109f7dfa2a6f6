public import Freshet
import FreshetEssentials

/// A transport that answers from a script and never touches the network.
///
/// - Sending is cold: a request is recorded when its exchange starts, each time it starts.
/// - Every exchange ends once: finished, failed or cancelled, see ``Counts``.
/// - It does not follow redirects itself; a redirect is answered like any other request.
///
/// ```swift
/// let transport = ScriptedTransport(["http://a.example/logo": .text("hello")])
/// for try await event in transport.send(try Request(.get, "http://a.example/logo")) { … }
/// #expect(transport.requests.count == 1)
/// ```
public final class ScriptedTransport: Transport {
  /// The number of exchanges, and of their endings.
  public struct Counts: Sendable, Hashable {
    /// The exchanges that began.
    public var started = 0
    /// The exchanges that reached the end of the response.
    public var finished = 0
    /// The exchanges that ended with a failure of the script.
    public var failed = 0
    /// The exchanges that ended early: their task was cancelled, or their iterator was released.
    public var cancelled = 0

    /// Makes counts of zero.
    public init() {}

    /// The exchanges that are in progress.
    public var running: Int { started - finished - failed - cancelled }
  }

  struct Record: Sendable {
    var requests: [Request] = []
    var counts = Counts()
  }

  let record = Watched(Record())
  /// Returns the response to a request, whose number in the order of the starts is known too, from 0.
  private let answer: @Sendable (Request, Int) -> ScriptedResponse

  /// Makes a transport whose responses come from a closure.
  ///
  /// - Parameter answer: A closure that is called once for each exchange when it starts, with its
  ///   request, on the task that reads it.
  public init(_ answer: @escaping @Sendable (Request) -> ScriptedResponse) {
    self.answer = { request, _ in answer(request) }
  }

  /// Makes a transport that answers by URL.
  ///
  /// - Parameter responses: The responses by absolute URL with its query, in the form that ``/Freshet/Request``
  ///   takes: `http://a.example/a b` is `http://a.example/a%20b`, and no path is `/`. With a method before it, as in
  ///   `POST http://a.example/users`, a key is for that method, and one without for all others. Any other
  ///   request fails with ``/Freshet/FreshetError/invalidRequest(_:url:)``.
  public convenience init(_ responses: [String: ScriptedResponse]) {
    let script = Script(responses)
    self.init { script.response(to: $0) }
  }

  /// Makes a transport that returns one response after the other, for any request; the last one repeats.
  ///
  /// - Parameter responses: The responses, at least one, in the order in which exchanges start.
  public init(sequence responses: [ScriptedResponse]) {
    precondition(!responses.isEmpty, "a sequence needs at least one response")
    answer = { _, number in responses[min(number, responses.count - 1)] }
  }

  /// Returns the transfer of a request.
  public func send(_ request: Request) -> Transfer {
    Transfer(request) { [answer, record] request in
      ScriptedExchange(request, answer: answer, record: record)
    }
  }
}

extension ScriptedTransport {
  /// The requests whose exchanges have started, in that order.
  public var requests: [Request] { record.read(\.requests) }

  /// The number of exchanges, and of their endings.
  public var counts: Counts { record.read(\.counts) }

  /// Waits until the counts meet a condition.
  ///
  /// ```swift
  /// await transport.counted { $0.cancelled == 1 }
  /// ```
  ///
  /// - Parameters:
  ///   - condition: A closure that is called at each change, under a lock.
  ///   - fileID: The file of the caller, which standard error gets if the wait is cancelled.
  ///   - line: The line of the caller.
  /// - Returns: A Boolean value that indicates whether they did: `false` when the task was
  ///   cancelled before.
  @discardableResult
  public func counted(
    _ condition: @escaping @Sendable (Counts) -> Bool,
    fileID: StaticString = #fileID,
    line: Int = #line
  ) async -> Bool {
    await record.wait(at: WaitPlace(fileID: fileID, line: line)) { record in
      let counts = record.counts
      return "other counts of a scripted transport than \(counts.started) started,"
        + " \(counts.finished) finished, \(counts.failed) failed and \(counts.cancelled) cancelled"
    } until: { record in
      condition(record.counts)
    }
  }
}

/// The responses by URL, or by method and URL.
private struct Script: Sendable {
  private let responses: [String: ScriptedResponse]

  init(_ responses: [String: ScriptedResponse]) {
    let pairs = responses.map { (Self.normalized(key: $0.key), $0.value) }
    self.responses = Dictionary(pairs) { _, _ in
      preconditionFailure("a URL is in the script twice, written in two ways")
    }
  }

  func response(to request: Request) -> ScriptedResponse {
    let url = Self.normalized(request.url)
    return responses["\(request.method) \(url)"] ?? responses[url] ?? .failure(missing(request))
  }

  private static func normalized(key: String) -> String {
    let (method, text) = split(key)
    guard let request = try? Request(String(text)) else {
      preconditionFailure("\(key): the keys of a script are absolute http or https URLs")
    }
    return method + normalized(request.url)
  }

  /// Returns the method of a key with the space behind it, if it has one, and the URL.
  private static func split(_ key: String) -> (method: String, url: Substring) {
    let method = key.utf8.prefix(while: ASCII.isToken)
    let rest = key[method.endIndex...]
    guard !method.isEmpty, rest.first == " " else { return ("", key[...]) }
    return ("\(Substring(method)) ", rest.dropFirst())
  }

  private static func normalized(_ url: URL) -> String {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), parts.path.isEmpty
    else { return url.absoluteString }
    parts.path = "/"
    return parts.url?.absoluteString ?? url.absoluteString
  }

  /// Returns the failure of a request that is not in the script.
  ///
  /// It has at most five URLs that are: those of the same path, if there are any.
  private func missing(_ request: Request) -> FreshetError {
    let rules = SecretRules.standard
    let url = Self.normalized(request.url)
    let path = url.prefix { $0 != "?" }
    let others = responses.keys.filter { Self.split($0).url.prefix { $0 != "?" } == path }
    let known = (others.isEmpty ? Array(responses.keys) : others).sorted().prefix(5)
      .map { key in
        let (method, url) = Self.split(key)
        return method + rules.redacted(url: String(url))
      }
    let list = known.isEmpty ? "nothing" : known.joined(separator: ", ")
    return .invalidRequest(
      "the script has no answer to \(request.method) \(rules.redacted(url: url)); it has \(list)",
      url: Redaction.shown(request.url)
    )
  }
}
