public import FreshetEssentials

/// A response without its body: status, headers and URL.
public struct ResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: HTTPStatus
  /// The header fields as they were received, trailers excluded.
  public var headers: HTTPHeaders
  /// The URL that answered; after redirects it differs from the requested one.
  public var url: URL
  /// Internal information that accompanies the head.
  var notes = Notes()

  /// Makes a head.
  public init(status: HTTPStatus, headers: HTTPHeaders, url: URL) {
    self.status = status
    self.headers = headers
    self.url = url
  }
}

extension ResponseHead {
  /// Internal information about a response; it is no part of the head's value.
  struct Notes: Sendable, Hashable, CustomReflectable {
    /// Enumerations instead of optionals, because each copy of a type of this size with an optional
    /// looks up the layout at run time, which was four times slower; and heads are copied often.
    private enum Fields {
      case unknown
      case known(HTTPHeaders)
    }

    private enum Cause {
      case unknown
      case known(Provenance)
    }

    private var fields = Fields.unknown
    private var cause = Cause.unknown

    /// The header fields of the request that it answers, as they were sent; credentials may be
    /// replaced by a name for their owner.
    var sent: HTTPHeaders? {
      get { if case .known(let fields) = fields { fields } else { nil } }
      set { fields = newValue.map(Fields.known) ?? .unknown }
    }

    /// The origin and the decisions of an error response, see ``FreshetError/explanation``.
    var story: Provenance? {
      get { if case .known(let story) = cause { story } else { nil } }
      set { cause = newValue.map(Cause.known) ?? .unknown }
    }

    /// They are always equal.
    static func == (left: Notes, right: Notes) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
    /// Nothing, so that `dump` shows no credentials.
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// The source of an error response, and the decisions that led to it.
  final class Provenance: Sendable {
    let source: Resource.Source
    let explanation: Explanation
    /// The response that was refused, for the stores that have a copy of the resource.
    let refused: Fetch.Downloaded?
    /// A Boolean value that indicates whether stores may store that response.
    let isStorable: Bool

    init(
      _ source: Resource.Source,
      _ explanation: Explanation,
      refused: Fetch.Downloaded? = nil,
      isStorable: Bool = false
    ) {
      self.isStorable = isStorable
      self.source = source
      self.explanation = explanation
      self.refused = refused
    }
  }

  /// Returns the head without notes, as it is stored.
  consuming func withoutNotes() -> ResponseHead {
    notes = Notes()
    return self
  }
}
