import Freshet

struct SocketOptions: Sendable {
  let url: String
  var server = ServerOptions()
  var protocols: [String] = []
  /// A Boolean value that indicates whether another connection follows one that breaks.
  var reconnects = false
  /// The time without a message after the end of the input at which the socket is closed.
  var patience = Duration.seconds(1)

  init(_ arguments: [String]) throws(UsageError) {
    var arguments = Arguments(arguments, of: "socket")
    while let option = try arguments.nextOption() {
      switch option {
      case "--protocol": protocols.append(try arguments.value(of: option))
      case "--reconnect": reconnects = true
      case "--wait":
        patience = try FetchOptions.seconds(try arguments.value(of: option), of: option)
      default:
        guard try server.apply(option, &arguments) else { throw arguments.unknown(option) }
      }
    }
    guard let url = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("'freshet socket' takes one URL")
    }
    self.url = url
    try server.end()
  }
}
