/// Formats parameters for the descriptions of pipelines.
enum PipelineText {
  /// Describes a transport with its decorators on one line, such as `network.retrying(.standard)`.
  static func transport(_ transport: any Transport) -> String {
    PipelineDescription(transport).line
  }

  /// Joins parameters in parentheses, without the empty ones.
  static func parameters(_ parameters: String...) -> String {
    "(\(parameters.filter { !$0.isEmpty }.joined(separator: ", ")))"
  }

  /// Formats a parameter; empty if it has its default.
  static func unless<Value: Equatable>(
    _ usual: Value,
    _ value: Value,
    _ text: (Value) -> String
  ) -> String {
    value == usual ? "" : text(value)
  }

  /// Formats a number with a label; empty if it is the default.
  static func unless(_ usual: Int, _ value: Int, _ label: String) -> String {
    unless(usual, value) { "\(label): \($0)" }
  }
}

extension ExpiryPolicy {
  var wording: String {
    switch self {
    case .http: ".http"
    case .after(let duration): ".after(\(duration.rounded))"
    case .never: ".never"
    case .always: ".always"
    }
  }
}

extension StaleLimits {
  /// The limits that differ from the default.
  var wording: String {
    let early = PipelineText.unless(.zero, unvalidated) { "unvalidated: \($0.rounded)" }
    let late = onError.map { "onError: \($0.rounded)" } ?? ""
    let limits = [early, late].filter { !$0.isEmpty }
    return limits.isEmpty ? "" : "limits: \(limits.joined(separator: ", "))"
  }
}

extension Checksum {
  var wording: String {
    switch self {
    case .sha256(let digest): ".sha256(\(digest.hex.prefix(12))…)"
    }
  }
}
