import Freshet

/// What a fetch would do now.
struct Outlook {
  let url: String
  let plan: Plan
  /// What would be sent, or `nil`.
  let sends: String?
  /// Where the copy is, if there is one.
  let origin: Resource.Origin?
  /// What else would happen, as sentences.
  let remarks: [String]
  let explanation: Explanation?

  enum Plan: String {
    /// A store answers.
    case answer
    /// The origin is asked whether the copy is still right.
    case validate
    /// The body is fetched.
    case download
    /// There is nothing to show.
    case fail
  }
}

extension Outlook {
  /// Reads it from the step before the network.
  init(url: String, step: Fetch, policy: ResourcePolicy) {
    self.url = url
    switch step {
    case .resource(let resource):
      plan = .answer
      sends = nil
      origin = resource.origin
      remarks = ["The copy is used as it is."]
      explanation = resource.explanation
    case .expired(let expired):
      origin = expired.origin
      explanation = expired.explanation
      let isOffline = policy.network == .forbidden
      let sent = Self.validation(of: expired.response, policy.revalidation)
      plan = isOffline ? .answer : sent == "GET" ? .download : .validate
      sends = isOffline ? nil : sent
      remarks = Self.remarks(on: expired, policy)
    case .wanted(let wanted):
      origin = nil
      explanation = wanted.explanation
      plan = policy.network == .forbidden ? .fail : .download
      sends = policy.network == .forbidden ? nil : "GET"
      remarks = policy.network == .forbidden ? ["Nothing is stored that may be used."] : []
    case .found, .progress, .downloaded:
      plan = .fail
      sends = nil
      origin = nil
      remarks = []
      explanation = nil
    }
  }

  private static func validation(of copy: StoredResponse, _ revalidation: Revalidation) -> String {
    switch revalidation {
    case .none: return "GET"
    case .head: return "HEAD"
    case .conditional:
      let tag = copy.head.headers[.eTag].map { "If-None-Match: \($0)" }
      let date = copy.head.headers[.lastModified].map { "If-Modified-Since: \($0)" }
      let conditions = [tag, date].compactMap(\.self)
      return conditions.isEmpty ? "GET" : "GET with \(conditions.joined(separator: " and "))"
    }
  }

  private static func remarks(on expired: Fetch.Expired, _ policy: ResourcePolicy) -> [String] {
    if policy.network == .forbidden {
      return ["The expired copy is used, because this is offline."]
    }
    var remarks: [String] = []
    let isShown =
      expired.uses.contains(.whileRevalidating)
      || policy.stale == .beforeValidation && expired.uses.contains(.announced)
    if isShown { remarks.append("The expired copy is shown meanwhile.") }
    remarks.append(
      expired.uses.contains(.onError)
        ? "If the origin is down, the expired copy stands in."
        : "If the origin is down, the fetch fails."
    )
    return remarks
  }
}

// MARK: - Texts

extension Outlook {
  /// The outlook as lines: what would happen, and the decisions that lead there.
  var text: String {
    let decisions = explanation.map { $0.map(\.description) } ?? []
    return ([headline] + (decisions + remarks).map { "  \($0)" }).map { Printable.line($0) }
      .joined(separator: "\n")
  }

  private var headline: String {
    switch plan {
    case .answer: "\(url): answered from \(origin?.rawValue ?? "a store"), nothing is sent"
    case .validate: "\(url): sends \(sends ?? "GET")"
    case .download: "\(url): sends \(sends ?? "GET")"
    case .fail: "\(url): fails"
    }
  }

  var json: JSONLine {
    var line = JSONLine(event: "explain")
    line.add("url", url)
    line.add("plan", plan.rawValue)
    line.add("origin", optional: origin?.rawValue)
    line.add("sends", optional: sends)
    line.add("explanation", (explanation.map { $0.map(\.description) } ?? []) + remarks)
    return line
  }
}
