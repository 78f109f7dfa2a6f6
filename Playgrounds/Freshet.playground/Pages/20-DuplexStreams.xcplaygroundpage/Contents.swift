//: # Duplex streams
//: A request whose body is written while its response is read.
import Foundation
import Freshet
import FreshetTesting

//: A scripted server that answers each line while the request goes on.
let transport = ScriptedTransport { _ in
  .duplex { peer in
    for try await chunk in peer {
      let text = String(decoding: chunk, as: UTF8.self)
      guard text != "nonsense" else { throw FreshetError.connection(.lost, url: "") }
      try await peer.send(text.uppercased())
    }
  }
}
let client = Client {
  $0.transport = transport
  $0.baseURL = URL(string: "http://words.example")
}

func talk() async throws {
  //: Nothing happens before the stream is used; then it sends its request.
  let stream = client.duplex(.post("shout"))
  print("requests", transport.requests.count)
  var answers = stream.makeAsyncIterator()
  for word in ["freshet", "spate"] {
    try await stream.send(word)
    let answer = try await answers.next() ?? Data()
    print(word, "becomes", String(decoding: answer, as: UTF8.self))
  }

  //: The end of one direction leaves the other one alone.
  stream.finish()
  print("over:", try await answers.next() == nil, try await stream.head.status.rawValue)
}

func fail() async throws {
  //: A failure comes out of both directions.
  let stream = client.duplex(.post("shout"))
  try await stream.send("nonsense")
  do {
    for try await _ in stream {}
  } catch {
    print("reader:", error.kind)
  }
  do throws(FreshetError) {
    try await stream.send("more")
  } catch {
    print("writer:", error.kind)
  }
}

do {
  try await talk()
  try await fail()
} catch {
  print("failed:", error)
}
//: [Next](@next)
