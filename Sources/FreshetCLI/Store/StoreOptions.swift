import Foundation

struct StoreOptions: Sendable {
  var action: Action
  var place: Place
  var format = FetchOptions.Format.text

  /// The store that is examined or changed.
  enum Place: Sendable {
    case directory(URL)
    case shared(any ServerStore)
  }

  enum Action: Sendable {
    case stats
    case list
    case verify
    case purge(Duration)
    case remove(Target, partition: String)
  }

  enum Target: Sendable {
    case url(String)
    case prefix(String)
    case tag(String)
    case all
  }

  init(_ arguments: [String]) throws(UsageError) {
    guard let name = arguments.first, !name.hasPrefix("-") else {
      try Arguments.offerHelp(arguments)
      throw UsageError("'freshet store' needs an action: stats, list, verify, purge or remove")
    }
    var options = Options()
    var arguments = Arguments(Array(arguments.dropFirst()), of: "store \(name)")
    while let option = try arguments.nextOption() {
      guard Options.allowed[name]?.contains(option) ?? true else {
        throw arguments.unknown(option)
      }
      try options.apply(option, &arguments)
    }
    action = try options.action(name)
    try arguments.refuseOperands()
    place = try options.place(name)
    format = options.format
  }
}

/// The options in the order of the arguments.
private struct Options {
  var store: URL?
  var sharedURL: String?
  var sharedPrefix: String?
  var format = FetchOptions.Format.text
  var age: Duration?
  var targets: [StoreOptions.Target] = []
  var partition = ""

  static let allowed: [String: Set<String>] = {
    let common: Set = ["--store", "--shared", "--shared-prefix", "--json"]
    return [
      "stats": common, "list": common, "verify": common,
      "purge": common.union(["--older-than"]),
      "remove": common.union(["--url", "--prefix", "--tag", "--all", "--partition"]),
    ]
  }()

  mutating func apply(_ option: String, _ arguments: inout Arguments) throws(UsageError) {
    switch option {
    case "--json": format = .json
    case "--all": targets.append(.all)
    case "--store": store = try arguments.directory(of: option)
    case "--shared": sharedURL = try arguments.value(of: option)
    case "--shared-prefix": sharedPrefix = try arguments.value(of: option)
    case "--older-than":
      age = try FetchOptions.seconds(try arguments.value(of: option), of: option)
    case "--url": targets.append(.url(try arguments.value(of: option)))
    case "--prefix": targets.append(.prefix(try arguments.content(of: option)))
    case "--tag": targets.append(.tag(try arguments.value(of: option)))
    case "--partition": partition = try arguments.content(of: option)
    default: throw arguments.unknown(option)
    }
  }

  func place(_ name: String) throws(UsageError) -> StoreOptions.Place {
    let shared = try SharedServer.store(sharedURL, prefix: sharedPrefix)
    switch (store, shared) {
    case (let directory?, nil): return .directory(directory)
    case (nil, let shared?): return .shared(shared)
    case (_?, _?): throw UsageError("--store and --shared exclude each other")
    case (nil, nil):
      throw UsageError("'freshet store \(name)' needs --store DIR or --shared URL")
    }
  }

  func action(_ name: String) throws(UsageError) -> StoreOptions.Action {
    switch name {
    case "stats": return .stats
    case "list": return .list
    case "verify": return .verify
    case "purge":
      guard let age else { throw UsageError("'freshet store purge' needs --older-than SECONDS") }
      return .purge(age)
    case "remove":
      guard let target = targets.first, targets.count == 1 else {
        throw UsageError("'freshet store remove' needs one of --url, --prefix, --tag and --all")
      }
      if case .tag = target, !partition.isEmpty {
        throw UsageError("--tag removes from all partitions; --partition excludes it")
      }
      return .remove(target, partition: partition)
    default:
      throw UsageError("'freshet store' has no action '\(URLText.shown(name))'")
    }
  }
}
