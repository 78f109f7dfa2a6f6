public import FreshetEssentials

/// A response without its body: status, headers and URL.
///
/// A copy shares its contents until one of them is changed.
public struct ResponseHead: Sendable {
  private struct Fields: Sendable {
    var status: HTTPStatus
    var headers: HTTPHeaders
    var url: URL
    var notes = Notes()
  }

  /// The fields behind one reference, so that heads, and the errors that contain one, are small.
  private final class Content: Sendable {
    let fields: Fields

    init(_ fields: Fields) {
      self.fields = fields
    }
  }

  private var content: Content

  /// Makes a head.
  public init(status: HTTPStatus, headers: HTTPHeaders, url: URL) {
    content = Content(Fields(status: status, headers: headers, url: url))
  }

  private mutating func change(_ change: (inout Fields) -> Void) {
    var fields = content.fields
    change(&fields)
    content = Content(fields)
  }

  /// The status code.
  public var status: HTTPStatus {
    get { content.fields.status }
    set { change { $0.status = newValue } }
  }
  /// The header fields as they were received, trailers excluded.
  public var headers: HTTPHeaders {
    get { content.fields.headers }
    set { change { $0.headers = newValue } }
  }
  /// The URL that answered; after redirects it differs from the requested one.
  public var url: URL {
    get { content.fields.url }
    set { change { $0.url = newValue } }
  }
  /// Internal information that accompanies the head.
  var notes: Notes {
    get { content.fields.notes }
    set { change { $0.notes = newValue } }
  }
}

extension ResponseHead: Hashable {
  /// Returns a Boolean value that indicates whether status, headers and URL are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.content === right.content
      || left.status == right.status && left.headers == right.headers && left.url == right.url
  }

  /// Hashes status, headers and URL.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(status)
    hasher.combine(headers)
    hasher.combine(url)
  }
}

extension ResponseHead {
  /// Internal information about a response; it is no part of the head's value.
  struct Notes: Sendable {
    /// The header fields of the request that it answers, as they were sent; credentials may be
    /// replaced by a name for their owner.
    var sent: HTTPHeaders?
    /// The value of the field with a credential that is replaced in ``sent``.
    var credential: String?
    /// The header fields of the requests that were redirected before it, as they were sent.
    var earlier: [HTTPHeaders.Field] = []
    /// The origin and the decisions of an error response, see ``FreshetError/explanation``.
    var story: Provenance?
    /// Returns the `Cookie` field of the next request of a redirect, by its URL; `nil` for any
    /// other response, and without a jar.
    var cookies: (@Sendable (URL) -> String?)?
    /// The time after which a second request was sent, if one was, see ``HedgingPolicy``.
    var hedgedAfter: Duration?
    /// The reason why the request was not sent again, if the policy would have.
    var notRetried: String?
    /// The fields that are secret besides those with the name of a secret.
    var secretHeaders: Set<HTTPHeaders.Name> = []

    /// The decisions of the transport about the response.
    var decisions: [Decision] {
      guard hedgedAfter != nil || notRetried != nil else { return [] }
      return [hedgedAfter.map(Decision.hedged), notRetried.map(Decision.notRetried)]
        .compactMap(\.self)
    }
  }

  /// The source of an error response, and the decisions that led to it.
  final class Provenance: Sendable {
    let source: Resource.Source
    let explanation: Explanation
    /// The response that was refused, for the stores that have a copy of the resource.
    let refused: Fetch.Downloaded?
    /// A Boolean value that indicates whether stores may store that response.
    let isStorable: Bool
    /// A Boolean value that indicates whether the response is only for the user whose request has got it.
    let isPersonal: Bool

    init(
      _ source: Resource.Source,
      _ explanation: Explanation,
      refused: Fetch.Downloaded? = nil,
      isStorable: Bool = false,
      isPersonal: Bool = false
    ) {
      self.isStorable = isStorable
      self.isPersonal = isPersonal
      self.source = source
      self.explanation = explanation
      self.refused = refused
    }
  }

  /// Returns the head as it is stored, without notes except for the names of its secret fields.
  consuming func withoutNotes() -> ResponseHead {
    notes = Notes(secretHeaders: notes.secretHeaders)
    return self
  }

  /// Notes that these fields are secret as well.
  mutating func hide(_ names: Set<HTTPHeaders.Name>) {
    guard !names.isEmpty, notes.secretHeaders != names else { return }
    notes.secretHeaders.formUnion(names)
  }
}
