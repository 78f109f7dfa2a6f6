import Foundation
import Freshet

struct SeedOptions: Sendable {
  var into: URL
  var source = Source.network
  var urls: [String] = []
  var prefix: String?
  var server = ServerOptions()
  var format = FetchOptions.Format.text

  enum Source: Sendable {
    case network
    case store(URL)
    case docker(URL)
  }

  init(_ arguments: [String]) throws(UsageError) {
    var arguments = Arguments(arguments, of: "seed")
    var into: URL?
    while let option = try arguments.nextOption() {
      switch option {
      case "--into": into = try arguments.directory(of: option)
      case "--from-store": source = .store(try arguments.directory(of: option))
      case "--from-docker": source = .docker(try arguments.directory(of: option))
      case "--prefix": prefix = try arguments.value(of: option)
      case "--json": format = .json
      default:
        guard try server.apply(option, &arguments) else { throw arguments.unknown(option) }
      }
    }
    guard let into else { throw UsageError("'freshet seed' needs --into DIR") }
    self.into = into
    urls = arguments.operands
    try check()
    try server.end()
  }

  private func check() throws(UsageError) {
    if case .store = source { return }
    guard prefix == nil else { throw UsageError("--prefix needs --from-store") }
    guard !urls.isEmpty else { throw UsageError("'freshet seed' needs a URL") }
  }
}
