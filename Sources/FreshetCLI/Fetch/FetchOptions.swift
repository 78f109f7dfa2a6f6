import Foundation
import Freshet

struct FetchOptions: Sendable {
  var urls: [String] = []
  /// Further lists of URLs, each with the number of ``urls`` before it.
  var lists: [(list: Input, place: Int)] = []
  var continues = false
  var plans = true
  var store: URL?
  /// The store that processes share.
  var shared: (any ServerStore)?
  var sharedURL: String?
  var sharedPrefix: String?
  var seeds: URL?
  var partition = ""
  /// The file for the body; `nil` for standard output.
  var output: URL?
  /// A Boolean value that indicates whether standard output was requested for the body.
  var outputIsStandard = false
  var format = Format.text
  var server = ServerOptions()
  var method: HTTPMethod?
  var data: [FormData] = []
  var policy = ResourcePolicy()
  /// The folder that bodies go to, a file each.
  var into: URL?
  /// The output of heads: none, before the bodies, or without the bodies.
  var heads = Heads.none
  /// A Boolean value that indicates whether the heads of error responses are hidden.
  var hidesErrorResponses = false
  /// Boolean values that indicate whether standard error gets nothing, or only errors.
  var isSilent = false
  var showsErrors = false
  /// A Boolean value that indicates whether the network traffic is shown.
  var traces = false
  /// The most redirects that are followed, if that was asked for.
  var redirects: Int?
  var maximumTime: Duration?
  var connectTime: Duration?
  var rate: ByteRate?
  /// A Boolean value that indicates whether the run is shown in the browser.
  var isInspected = false
  /// The largest number of retries, and the pause before each.
  var retries: Int?
  var retryDelay: Duration?

  enum Heads: Sendable {
    case none
    case included
    case only
  }

  enum Format: Sendable {
    case text
    case json
  }

  /// A piece of the request's body.
  enum FormData: Sendable, Equatable {
    case text(String)
    case content(Input)

    init(_ text: String) {
      self = text.hasPrefix("@") ? .content(Input(String(text.dropFirst()))) : .text(text)
    }
  }

  /// A Boolean value that indicates whether the progress of the whole batch is reported.
  var isBatch: Bool { urls.count > 1 || !lists.isEmpty || continues }

  /// A Boolean value that indicates whether URLs were given, and not only a run to continue.
  var isForURLs: Bool { !urls.isEmpty || !lists.isEmpty }

  /// A Boolean value that indicates whether URLs are fetched as they arrive from standard input.
  var streams: Bool { !plansFirst && !continues && lists.contains { $0.list == .standardInput } }

  /// A Boolean value that indicates whether sizes are requested first; heads have none.
  var plansFirst: Bool { plans && heads != .only }

  /// A Boolean value that indicates whether bodies go to standard output.
  var writesToStandardOutput: Bool { output == nil && into == nil && format == .text }

  init(_ arguments: [String]) throws(UsageError) {
    var arguments = Arguments(arguments, of: "fetch")
    while let option = try arguments.nextOption() {
      try apply(option, &arguments)
    }
    urls = arguments.operands
    try check()
    try server.end()
    shared = try SharedServer.store(sharedURL, prefix: sharedPrefix)
  }

  /// Reads the options of `freshet explain`, which fetches nothing.
  init(explaining arguments: [String]) throws(UsageError) {
    let allowed = Set(Manual.explain.options.flatMap(\.names))
    var arguments = Arguments(arguments, of: "explain")
    while let option = try arguments.nextOption() {
      guard allowed.contains(option) else { throw arguments.unknown(option) }
      try apply(option, &arguments)
    }
    urls = arguments.operands
    guard !urls.isEmpty else { throw UsageError("'freshet explain' needs a URL") }
    try server.end()
  }

  private func check() throws(UsageError) {
    guard isForURLs || continues else {
      throw UsageError("'freshet fetch' needs a URL")
    }
    guard lists.count(where: { $0.list == .standardInput }) < 2 else {
      throw UsageError("--from - may be given once, because standard input can be read once")
    }
    // What is left of a run may be one URL.
    guard output == nil || lists.isEmpty && (urls.count <= 1 || continues) else {
      throw UsageError("--output takes the body of one URL, and there are \(countText)")
    }
    guard !outputIsStandard || format == .text else {
      throw UsageError("--output - and --json exclude each other: both write to standard output")
    }
    guard (method == nil && data.isEmpty) || !isBatch else {
      throw UsageError("--request and --data need exactly one URL")
    }
    try checkHabits()
    guard !continues || store != nil else {
      throw UsageError("--continue needs the --store of the run that was interrupted")
    }
  }

  private var countText: String { lists.isEmpty && !continues ? "\(urls.count)" : "perhaps more" }

  private mutating func apply(
    _ option: String,
    _ arguments: inout Arguments
  ) throws(UsageError) {
    func value() throws(UsageError) -> String { try arguments.value(of: option) }
    if try server.apply(option, &arguments) { return }
    if try applyHabit(option, &arguments) { return }
    switch option {
    case "--json": format = .json
    case "--stale": policy.stale = .beforeValidation
    case "--offline": try use(.forbidden)
    case "--force": try use(.required)
    case "--no-store": policy.persistence = .nowhere
    case "--max-stale":
      policy.staleLimits.unvalidated = try Self.seconds(try value(), of: option)
    case "--partition": partition = try value()
    case "--seeds": seeds = try arguments.directory(of: option)
    case "--continue": continues = true
    case "--no-plan": plans = false
    case "--inspect": isInspected = true
    case "--from":
      lists.append((Input(try arguments.path(of: option)), arguments.operands.count))
    case "--store": store = try arguments.directory(of: option)
    case "--shared": sharedURL = try value()
    case "--shared-prefix": sharedPrefix = try value()
    case "--into": into = try arguments.directory(of: option)
    case "--output", "-o":
      let path = try arguments.path(of: option)
      guard !path.hasSuffix("/") else {
        throw UsageError("--output takes a file, and \(path) is a directory; see --into")
      }
      outputIsStandard = path == "-"
      output = outputIsStandard ? nil : URL(filePath: path)
    case "--policy": policy.expiry = try Self.expiry(try value())
    case "--revalidate": policy.revalidation = try Self.revalidation(try value())
    case "--sha256": policy.expected = try Self.digest(try value())
    case "--request", "-X": method = HTTPMethod(try value())
    case "--data", "-d": data.append(FormData(try arguments.text(of: option)))
    default: throw arguments.unknown(option)
    }
  }
}

extension FetchOptions {
  private mutating func use(_ network: ResourcePolicy.Network) throws(UsageError) {
    guard policy.network == .allowed || policy.network == network else {
      throw UsageError("--offline and --force exclude each other: one of them sends no request")
    }
    policy.network = network
  }

  /// Returns the URLs and those of the lists, in the order of the arguments.
  ///
  /// Lists are read now; without a plan, standard input is read later, line by line.
  func pieces() throws(UsageError) -> [URLPiece] {
    var pieces: [URLPiece] = []
    var taken = 0
    for (list, place) in lists {
      pieces.append(.texts(Array(urls[taken..<place])))
      taken = place
      let isStream = streams && list == .standardInput
      pieces.append(isStream ? .standardInput : .texts(try URLList.read(list)))
    }
    return pieces + [.texts(Array(urls[taken...]))]
  }

  private static func expiry(_ text: String) throws(UsageError) -> ExpiryPolicy {
    switch text {
    case "http": return .http
    case "always": return .always
    case "never": return .never
    default:
      guard text.hasPrefix("after:"),
        let duration = try? seconds(String(text.dropFirst("after:".count)), of: "after:")
      else { throw UsageError("--policy takes http, after:SECONDS, always or never") }
      return .after(duration)
    }
  }

  /// Returns a number of seconds that is valid as a time.
  static func seconds(_ text: String, of option: String) throws(UsageError) -> Duration {
    guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
      throw UsageError("\(option) takes a number of seconds")
    }
    return .milliseconds(Int64(seconds * 1_000))
  }

  private static func revalidation(_ text: String) throws(UsageError) -> Revalidation {
    guard let revalidation = Revalidation(rawValue: text) else {
      throw UsageError("--revalidate takes conditional, head or none")
    }
    return revalidation
  }

  private static func digest(_ text: String) throws(UsageError) -> Checksum {
    guard let digest = SHA256Checksum(hex: text) else {
      throw UsageError("--sha256 takes 64 hexadecimal digits")
    }
    return .sha256(digest)
  }
}
