import FreshetEssentials

/// The error in a body, and its place.
///
/// It is safe to log: it shows at most a few words of the body, and values whose keys say token,
/// password, authorization or the like are masked, and so are secrets of the request that the body
/// repeats, see <doc:Services>.
public struct DecodingFailure: Error, Sendable {
  private struct Fields: Sendable, Hashable {
    let target: String
    let keyPath: String
    let reason: String
    let excerpt: String
  }

  /// The fields behind one reference, so that the errors that contain a failure are small.
  private let content: Boxed<Fields>

  init(target: String, keyPath: String, reason: String, excerpt: String) {
    content = Boxed(
      Fields(target: target, keyPath: keyPath, reason: reason, excerpt: excerpt)
    )
  }

  /// The type that was to be decoded.
  public var target: String { content.value.target }
  /// The path of the error in the whole body, such as `items[3].user.name`; empty for the whole
  /// body.
  public var keyPath: String { content.value.keyPath }
  /// The reason, without a full stop; shortened like the excerpt, its secrets masked.
  public var reason: String { content.value.reason }
  /// The body around that place, shortened, its secrets masked.
  public var excerpt: String { content.value.excerpt }

  /// A reason without a place.
  struct Reason: Error {
    let text: String

    init(_ text: String) {
      self.text = text
    }
  }
}

extension DecodingFailure: Hashable {
  /// Returns a Boolean value that indicates whether all properties are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.content.value == right.content.value
  }

  /// Hashes all properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(content.value)
  }
}

extension DecodingFailure: CustomStringConvertible {
  /// Place, reason and excerpt in one line.
  public var description: String {
    let place = keyPath.isEmpty ? "" : "\(keyPath): "
    let shown = excerpt.isEmpty ? "" : ", near “\(excerpt)”"
    return Printable.line("\(place)\(reason)\(shown)")
  }
}

extension DecodingFailure {
  /// Describes an error of a decoder.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - target: The type that was to be decoded.
  ///   - source: The data that was decoded.
  ///   - element: The element of the data's array that failed, for errors without a path.
  ///   - excerpt: The data for several failures in it, or `nil` for an excerpt of its own.
  init(
    _ error: any Error,
    decoding target: Any.Type,
    from source: DecodingSource,
    element: Int? = nil,
    showing excerpt: Excerpt? = nil
  ) {
    let data = source.data
    let excerpt = excerpt ?? source.excerpt
    var finding = Finding(error)
    if finding.path.isEmpty, finding.reason.hasSuffix("valid JSON") {
      if let fault = JSONScanner.fault(in: data) {
        finding.reason = "it is not JSON at byte \(fault.offset): \(fault.reason)"
      } else if let misfit = NumberMisfit(decoding: target, from: data) {
        finding = Finding(misfit)
      }
    }
    finding.locate(in: data, element: element)
    let keyPath = source.path + finding.path
    let isSecret = keyPath.steps.contains { SecretWords.contains($0) }
    self.init(
      target: "\(target)",
      keyPath: excerpt.shown(keyPath),
      reason: isSecret ? finding.kind : excerpt.shown(finding.reason),
      excerpt: isSecret ? "" : excerpt.text(at: finding.path)
    )
  }

  /// Describes an error of a decoder without text of the body; the rules of the excerpt hide secrets in
  /// the path.
  init(
    briefly error: any Error,
    decoding target: Any.Type,
    at base: PayloadPath,
    element: Int? = nil,
    of excerpt: Excerpt
  ) {
    var finding = Finding(error)
    finding.locate(in: nil, element: element)
    self.init(
      target: "\(target)",
      keyPath: excerpt.shown(base + finding.path),
      reason: finding.kind,
      excerpt: ""
    )
  }

  /// The information of an error: a kind that reveals nothing of the body, and a reason that may.
  private struct Finding {
    var path = PayloadPath()
    let kind: String
    var reason: String
    /// The number that does not fit, if the error gives no other information.
    private var misfit: NumberMisfit?

    init(_ misfit: NumberMisfit) {
      self.misfit = misfit
      kind = NumberMisfit.kind
      reason = misfit.reason
    }

    init(_ error: any Error) {
      switch error {
      case let failure as DecodingFailure.Reason:
        (kind, reason) = (failure.text, failure.text)
      case DecodingError.keyNotFound(let key, let context):
        path = PayloadPath(context.codingPath + [key])
        (kind, reason) = ("it is missing", "it is missing")
      case DecodingError.valueNotFound(let type, let context):
        path = PayloadPath(context.codingPath)
        kind = "it is null"
        reason = "it is null and not \(type)"
      case DecodingError.typeMismatch(_, let context):
        path = PayloadPath(context.codingPath)
        kind = "it has another type"
        reason = Self.sentence(context)
      case DecodingError.dataCorrupted(let context):
        path = PayloadPath(context.codingPath)
        kind = "it is not valid"
        reason = Self.sentence(context)
      default:
        misfit = NumberMisfit(error)
        // An error from elsewhere may contain anything; its type does not.
        kind = misfit == nil ? "decoding it failed with \(type(of: error))" : NumberMisfit.kind
        reason = misfit?.reason ?? kind
      }
    }

    /// Finds the path if the error has none: that of the number, if it occurs only once, or that of
    /// the element that failed.
    mutating func locate(in data: Data?, element: Int?) {
      guard path.isEmpty else { return }
      let step = element.map { "\($0)" }
      if let place = data.flatMap({ misfit?.place(in: $0, element: step) }) {
        path = place
      } else if let step {
        path = PayloadPath(steps: [step])
      }
    }

    private static func sentence(_ context: DecodingError.Context) -> String {
      let cause = context.underlyingError as? CocoaError
      let text = cause?.userInfo["NSDebugDescription"] as? String ?? context.debugDescription
      return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
  }
}
