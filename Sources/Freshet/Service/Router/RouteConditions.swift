import FreshetEssentials

/// The conditions of a route besides the path.
struct RouteConditions: Sendable {
  struct Field: Sendable, Hashable {
    let path: PayloadPath
    let value: String
  }

  /// The methods; any if empty.
  var methods: Set<HTTPMethod> = []
  /// The ranges of statuses; if empty, any that is no error.
  var statuses: Set<ClosedRange<Int>> = []
  /// The texts in the body, all of which must match.
  var fields: Set<Field> = []
  /// The predicates, all of which must accept.
  var predicates: [@Sendable (Response<Data>) -> Bool] = []

  /// The specificity of a match; the greatest one has precedence.
  struct Rank: Hashable, Comparable {
    let namesMethod: Bool
    /// The width of the narrowest range that contains the status; `Int.max` if there are no ranges.
    let statusWidth: Int
    let conditionCount: Int

    /// The rank of a route without conditions.
    static let plain = Rank(namesMethod: false, statusWidth: .max, conditionCount: 0)

    static func < (left: Rank, right: Rank) -> Bool {
      if left.namesMethod != right.namesMethod { return right.namesMethod }
      if left.statusWidth != right.statusWidth { return left.statusWidth > right.statusWidth }
      return left.conditionCount < right.conditionCount
    }
  }

  /// A Boolean value that indicates whether there are no conditions.
  var isEmpty: Bool { methods.isEmpty && statuses.isEmpty && fields.isEmpty && predicates.isEmpty }

  /// Returns the specificity of the match, or `nil` if the conditions do not hold.
  func rank(_ probe: inout RouteProbe) -> Rank? {
    guard methods.isEmpty || methods.contains(probe.method),
      let width = statusWidth(probe)
    else { return nil }
    for field in fields where probe.text(at: field.path) != field.value { return nil }
    for predicate in predicates where !predicate(probe.response) { return nil }
    return Rank(
      namesMethod: !methods.isEmpty,
      statusWidth: width,
      conditionCount: fields.count + predicates.count
    )
  }

  private func statusWidth(_ probe: RouteProbe) -> Int? {
    guard !statuses.isEmpty else { return probe.isError ? nil : .max }
    let status = probe.response.status.rawValue
    return statuses.lazy.filter { $0.contains(status) }.map(\.width).min()
  }

  /// Returns a Boolean value that indicates whether both always hold together with the same rank,
  /// so that neither has precedence.
  func isDuplicate(of other: RouteConditions) -> Bool {
    guard predicates.isEmpty, other.predicates.isEmpty, fields == other.fields,
      methods.isEmpty == other.methods.isEmpty, statuses.isEmpty == other.statuses.isEmpty
    else { return false }
    let sharesMethod = methods.isEmpty || !methods.isDisjoint(with: other.methods)
    let sharesStatus =
      statuses.isEmpty
      || statuses.contains { range in
        other.statuses.contains { $0.width == range.width && $0.overlaps(range) }
      }
    return sharesMethod && sharesStatus
  }
}

extension ClosedRange<Int> {
  /// The number of steps between the bounds, which unlike `count` is defined for any; it is smaller than
  /// the width without ranges.
  fileprivate var width: Int {
    let (steps, isTooLarge) = upperBound.subtractingReportingOverflow(lowerBound)
    return isTooLarge ? Int.max - 1 : Swift.min(steps, Int.max - 1)
  }
}

/// A request and its response during the search for a route.
struct RouteProbe {
  let method: HTTPMethod
  let response: Response<Data>
  var isError: Bool
  private var texts: [PayloadPath: String?] = [:]

  init(_ method: HTTPMethod, _ response: Response<Data>, _ options: Router.Options) {
    self.method = method
    self.response = response
    isError = options.isError(response)
  }

  /// Returns the text at a path of the body; each path is looked up once.
  mutating func text(at path: PayloadPath) -> String? {
    if let known = texts[path] { return known }
    let text = response.json(at: path)
      .flatMap { try? JSONDecoder().decode(String.self, from: $0) }
    texts[path] = .some(text)
    return text
  }
}
