import Foundation

struct StatsOptions: Sendable {
  let store: URL

  init(_ arguments: [String]) throws(UsageError) {
    var arguments = Arguments(arguments, of: "stats")
    var store: URL?
    while let option = try arguments.nextOption() {
      guard option == "--store" else { throw arguments.unknown(option) }
      store = try arguments.directory(of: option)
    }
    try arguments.refuseOperands()
    guard let store else { throw UsageError("'freshet stats' needs --store DIR") }
    self.store = store
  }
}
