import Foundation

struct InspectOptions: Sendable {
  let store: URL
  var port: UInt16 = 0

  init(_ arguments: [String]) throws(UsageError) {
    var arguments = Arguments(arguments, of: "inspect")
    var store: URL?
    while let option = try arguments.nextOption() {
      switch option {
      case "--store": store = try arguments.directory(of: option)
      case "--port":
        let text = try arguments.value(of: option)
        guard let number = UInt16(text) else {
          throw UsageError("--port needs a number up to 65535, and '\(text)' is none")
        }
        port = number
      default: throw arguments.unknown(option)
      }
    }
    try arguments.refuseOperands()
    guard let store else { throw UsageError("'freshet inspect' needs --store DIR") }
    self.store = store
  }
}
