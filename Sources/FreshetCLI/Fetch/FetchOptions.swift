import Foundation
import Freshet

/// What `freshet fetch` was asked to do.
struct FetchOptions: Sendable {
  var urls: [String] = []
  var list: List?
  var continues = false
  var plans = true
  var store: URL?
  var output: URL?
  var format = Format.text
  var headers: HTTPHeaders = [:]
  var policy = ResourcePolicy()

  enum Format: Sendable {
    case text
    case json
  }

  /// Where more URLs are, one a line.
  enum List: Sendable, Equatable {
    case file(URL)
    case standardInput
  }

  /// Whether the whole is told of besides its URLs.
  var isBatch: Bool { urls.count > 1 || list != nil || continues }

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var onlyURLs = false
    while let argument = rest.popFirst() {
      if onlyURLs || !argument.hasPrefix("-") {
        urls.append(argument)
      } else if argument == "--" {
        onlyURLs = true
      } else {
        try apply(argument, &rest)
      }
    }
    try check()
  }

  private func check() throws(UsageError) {
    guard !urls.isEmpty || list != nil || continues else {
      throw UsageError("'freshet fetch' needs a URL")
    }
    guard output == nil || !isBatch else {
      throw UsageError("--output takes the body of one URL, and there are \(countText)")
    }
    guard !continues || store != nil else {
      throw UsageError("--continue needs the --store of the run that was interrupted")
    }
  }

  private var countText: String {
    list == nil && !continues ? "\(urls.count)" : "perhaps more"
  }

  private mutating func apply(
    _ option: String,
    _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    func value() throws(UsageError) -> String {
      guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
      return value
    }
    switch option {
    case "--json": format = .json
    case "--stale": policy.stale = .beforeValidation
    case "--offline": policy.network = .forbidden
    case "--continue": continues = true
    case "--no-plan": plans = false
    case "--from": list = Self.list(try value())
    case "--store": store = URL(filePath: try value(), directoryHint: .isDirectory)
    case "--output": output = URL(filePath: try value())
    case "--policy": policy.expiry = try Self.expiry(try value())
    case "--revalidate": policy.revalidation = try Self.revalidation(try value())
    case "--sha256": policy.expected = try Self.digest(try value())
    case "--header":
      let field = try Self.header(try value())
      headers.add(field.value, for: field.name)
    default: throw UsageError("'freshet fetch' has no option '\(option)'")
    }
  }
}

extension FetchOptions {
  private static func list(_ text: String) -> List {
    text == "-" ? .standardInput : .file(URL(filePath: text))
  }

  private static func expiry(_ text: String) throws(UsageError) -> ExpiryPolicy {
    switch text {
    case "http": return .http
    case "always": return .always
    case "never": return .never
    default:
      guard
        text.hasPrefix("after:"),
        let seconds = Double(text.dropFirst("after:".count)),
        seconds >= 0, seconds <= 1e9
      else { throw UsageError("--policy takes http, after:SECONDS, always or never") }
      return .after(.milliseconds(Int64(seconds * 1_000)))
    }
  }

  private static func revalidation(_ text: String) throws(UsageError) -> Revalidation {
    guard let revalidation = Revalidation(rawValue: text) else {
      throw UsageError("--revalidate takes conditional, head or none")
    }
    return revalidation
  }

  private static func digest(_ text: String) throws(UsageError) -> Digest {
    guard let digest = SHA256Digest(hex: text) else {
      throw UsageError("--sha256 takes 64 hexadecimal digits")
    }
    return .sha256(digest)
  }

  private static func header(_ text: String) throws(UsageError) -> HTTPHeaders.Field {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].trimmingCharacters(in: .whitespaces)
    guard parts.count == 2, !name.isEmpty else {
      throw UsageError("--header takes 'Name: value'")
    }
    let value = parts[1].trimmingCharacters(in: .whitespaces)
    return HTTPHeaders.Field(name: HTTPHeaders.Name(name), value: value)
  }
}
