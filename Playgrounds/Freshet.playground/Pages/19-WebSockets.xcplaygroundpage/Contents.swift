//: # WebSockets
//: A conversation is a stream of messages, and a function that sends them.
import Foundation
import Freshet
import FreshetTesting

func talk(_ server: LoopbackServer) async throws {
  let client = Client { $0.baseURL = server.url("/") }

  //: Nothing happens before the socket is used; then it opens its connection.
  let socket = client.socket(at: "echo") { $0.protocols = ["echo.v1"] }
  try await socket.send("hello")
  try await socket.send(.binary(Data([1, 2, 3])))
  var messages = socket.makeAsyncIterator()
  print("received", try await messages.next()?.text ?? "nothing")
  let count = try await messages.next()?.data.count ?? 0
  print("received", count, "bytes by", socket.subprotocol ?? "")

  //: A close says why, and waits for the answer.
  await socket.close(reason: "that was all")
  print("after the close:", try await messages.next() == nil, socket.closure?.code.rawValue ?? 0)
}

func survive(_ server: LoopbackServer) async throws {
  //: With a policy, another connection follows one that breaks; the updates tell of it.
  let socket = Client()
    .socket(at: server.url("/shaky")) {
      $0.reconnection = Reconnection { $0.delay = .milliseconds(100) }
    }
  for try await update in socket.updates {
    switch update {
    case .connecting: print("connecting")
    case .opened: try await socket.send("how are you?")
    case .received(let message): print("received", message.text ?? "")
    case .reconnecting(_, let error): print("broken:", error.kind)
    case .closed(let close): print("closed:", close)
    }
  }
}

do {
  let server = try LoopbackServer([
    "/echo": .socket(protocols: ["echo.v1"]) { peer in
      for try await message in peer { try await peer.send(message) }
    },
    "/shaky": .socket { peer in
      for try await _ in peer {
        guard peer.request.number > 2 else { return peer.reset() }
        try await peer.send("well, at last")
        await peer.close(reason: "bye")
      }
    },
  ])
  try await talk(server)
  try await survive(server)
  await server.stop()
} catch {
  print("failed:", error)
}
//: [Next](@next)
