public import Foundation

/// A response without its body: status, headers and where they came from.
public struct ResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: HTTPStatus
  /// The header fields as they were received, trailers excluded.
  public var headers: HTTPHeaders
  /// The URL that answered: after redirects, another one than was asked for.
  public var url: URL
  /// What goes with the head inside of the framework.
  var notes = Notes()

  /// Makes a head.
  public init(status: HTTPStatus, headers: HTTPHeaders, url: URL) {
    self.status = status
    self.headers = headers
    self.url = url
  }
}

extension ResponseHead {
  /// What is known of a response beside its head; it is no part of the head's value.
  struct Notes: Sendable, Hashable, CustomReflectable {
    /// Both are enumerations because of an optional in a type of this size the compiler looks the layout
    /// up at each copy, which was four times as dear; and heads are copied often.
    private enum Fields {
      case unknown
      case known(HTTPHeaders)
    }

    private enum Cause {
      case unknown
      case known(Story)
    }

    private var fields = Fields.unknown
    private var cause = Cause.unknown

    /// The header fields of the request that it answers, as they were sent; what proves who asks may
    /// be replaced by a name of whoever that is.
    var sent: HTTPHeaders? {
      get { if case .known(let fields) = fields { fields } else { nil } }
      set { fields = newValue.map(Fields.known) ?? .unknown }
    }

    /// How an error response came about, see ``FreshetError/explanation``.
    var story: Story? {
      get { if case .known(let story) = cause { story } else { nil } }
      set { cause = newValue.map(Cause.known) ?? .unknown }
    }

    /// They are always equal.
    static func == (left: Notes, right: Notes) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
    /// Nothing, so that `dump` shows no credentials.
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// Where an error response came from, and by which decisions.
  final class Story: Sendable {
    let origin: Resource.Origin
    let explanation: Explanation
    /// What the network has refused, for the stores that have a copy of it.
    let refused: Fetch.Downloaded?
    /// Whether stores may keep that.
    let isStorable: Bool

    init(
      _ origin: Resource.Origin,
      _ explanation: Explanation,
      refused: Fetch.Downloaded? = nil,
      isStorable: Bool = false
    ) {
      self.isStorable = isStorable
      self.origin = origin
      self.explanation = explanation
      self.refused = refused
    }
  }

  /// The same head without notes, as stores keep it.
  consuming func withoutNotes() -> ResponseHead {
    notes = Notes()
    return self
  }
}
