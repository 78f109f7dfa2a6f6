import Freshet

/// The plan of a fetch at this moment.
struct Outlook {
  let url: String
  let plan: Plan
  /// The request, or `nil`.
  let sends: String?
  /// The origin of the copy, if there is one.
  let source: Resource.Source?
  /// Further remarks, as sentences.
  let remarks: [String]
  let explanation: Explanation

  enum Plan: String {
    /// A store answers.
    case answer
    /// The origin is asked whether the copy is still current.
    case validate
    /// The body is fetched.
    case download
    /// There is nothing to show.
    case fail
  }
}

extension Outlook {
  init(url: String, _ plan: FetchPlan, isOffline: Bool) {
    self.url = url
    sends = plan.request.map(Self.text)
    switch plan.step {
    case .resource(let resource):
      self.plan = .answer
      source = resource.source
      remarks = ["The copy is used as it is."]
      explanation = resource.explanation
    case .expired(let expired):
      self.plan = plan.request == nil ? .answer : .validate
      source = expired.source
      explanation = expired.explanation
      remarks = Self.remarks(on: expired, plan, isOffline)
    case .wanted(let wanted):
      self.plan = plan.request == nil ? .fail : .download
      source = wanted.fallback?.source
      explanation = wanted.explanation
      remarks =
        plan.request == nil
        ? ["No stored copy may be used, and no request is allowed."]
        : wanted.fallback.map { Self.remarks(on: $0, plan, isOffline) } ?? Self.rest(of: plan)
    case .found, .progress, .downloaded:
      self.plan = .fail
      source = nil
      remarks = []
      explanation = Explanation()
    }
  }

  private static func text(_ request: Request) -> String {
    let conditions = [HTTPHeaders.Name.ifNoneMatch, .ifModifiedSince, .range, .ifRange]
      .compactMap { name in request.headers[name].map { "\(name.rawValue): \($0)" } }
    return conditions.isEmpty
      ? "\(request.method.rawValue)"
      : "\(request.method.rawValue) with \(conditions.joined(separator: " and "))"
  }

  /// Returns a remark about the rest of a partial body.
  private static func rest(of plan: FetchPlan) -> [String] {
    plan.resumesAt.map { ["It requests the rest from byte \($0)."] } ?? []
  }

  private static func remarks(
    on expired: Fetch.Expired,
    _ plan: FetchPlan,
    _ isOffline: Bool
  ) -> [String] {
    if isOffline { return ["The expired copy is used, because --offline allows no request."] }
    var remarks = rest(of: plan)
    if plan.request?.method == .head, expired.request.method != .head {
      remarks.append("If it has changed, or the server does not support HEAD, a GET follows.")
    }
    if plan.announced != nil {
      let copy = expired.source == .seed ? "seed" : "expired copy"
      remarks.append("The \(copy) is shown in the meantime.")
    }
    remarks.append(
      expired.uses.contains(.onError)
        ? "If the origin is down, the expired copy is used."
        : "If the origin is down, the fetch fails."
    )
    return remarks
  }
}

// MARK: - Texts

extension Outlook {
  /// The outlook as lines: the plan, and the decisions that lead to it.
  var text: String {
    ([headline] + sentences.map { "  \($0)" }).map { Printable.line($0) }
      .joined(separator: "\n")
  }

  private var sentences: [String] { explanation.map(\.description) + remarks }

  private var headline: String {
    switch plan {
    case .answer: "\(url): answered from \(source?.rawValue ?? "a store"), nothing is sent"
    case .validate, .download: "\(url): sends \(sends ?? "GET")"
    case .fail: "\(url): fails"
    }
  }

  var json: JSONLine {
    var line = JSONLine(event: "explain")
    line.add("url", url)
    line.add("plan", plan.rawValue)
    line.add("origin", optional: source?.rawValue)
    line.add("sends", optional: sends)
    line.add("explanation", sentences)
    return line
  }
}
