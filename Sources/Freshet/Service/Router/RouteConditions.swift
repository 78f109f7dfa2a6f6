import Foundation

/// What a route asks for beside the path.
struct RouteConditions: Sendable {
  struct Field: Sendable, Hashable {
    let path: PayloadPath
    let value: String
  }

  /// Any if empty.
  var methods: Set<HTTPMethod> = []
  /// Any but that of an error if empty.
  var statuses: Set<ClosedRange<Int>> = []
  /// All of them must hold.
  var fields: Set<Field> = []
  /// All of them must hold.
  var predicates: [@Sendable (Response<Data>) -> Bool] = []

  /// How specific a match is; of several, the greatest counts.
  struct Rank: Hashable, Comparable {
    let namesMethod: Bool
    /// The narrowest range that holds the status; all that there are if none was named.
    let statusWidth: Int
    let conditionCount: Int

    /// That of a route without conditions.
    static let plain = Rank(namesMethod: false, statusWidth: .max, conditionCount: 0)

    static func < (left: Rank, right: Rank) -> Bool {
      if left.namesMethod != right.namesMethod { return right.namesMethod }
      if left.statusWidth != right.statusWidth { return left.statusWidth > right.statusWidth }
      return left.conditionCount < right.conditionCount
    }
  }

  /// Whether there are none.
  var isEmpty: Bool {
    methods.isEmpty && statuses.isEmpty && fields.isEmpty && predicates.isEmpty
  }

  /// How specifically the conditions hold, or `nil` if they do not.
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
    return statuses.lazy.filter { $0.contains(status) }.map(\.count).min()
  }

  /// Whether both always hold together with the same rank, so that nothing could choose.
  func isDuplicate(of other: RouteConditions) -> Bool {
    guard predicates.isEmpty, other.predicates.isEmpty, fields == other.fields,
      methods.isEmpty == other.methods.isEmpty, statuses.isEmpty == other.statuses.isEmpty
    else { return false }
    let sharesMethod = methods.isEmpty || !methods.isDisjoint(with: other.methods)
    let sharesStatus =
      statuses.isEmpty
      || statuses.contains { range in
        other.statuses.contains { $0.count == range.count && $0.overlaps(range) }
      }
    return sharesMethod && sharesStatus
  }
}

/// A request and its response while a route is looked for.
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

  /// The text at a path of the body; each path is looked up once.
  mutating func text(at path: PayloadPath) -> String? {
    if let known = texts[path] { return known }
    let text = response.json(at: path)
      .flatMap { try? JSONDecoder().decode(String.self, from: $0) }
    texts[path] = .some(text)
    return text
  }
}
