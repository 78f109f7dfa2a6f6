//: # When the network fails
//: Requests that wait for a network, ask a mirror, or are sent again when the first response is slow.
import Foundation
import Freshet
import FreshetTesting

//: A network that the page switches on, and a clock that it moves.
let network = Connectivity(.offline)
let clock = VirtualClock()
let slow = Gate()
let transport = ScriptedTransport(sequence: [
  .text("the news"),
  .failure(.connection(.refused, url: "http://news.example")), .text("the mirror's news"),
  .text("late news").waiting(for: slow), .text("early news"),
])
let client = Client {
  $0.transport = transport
  $0.baseURL = URL(string: "http://news.example")
  $0.clock = clock
  $0.connectivity = network
  $0.hedging = HedgingPolicy { $0.delay = .milliseconds(200) }
}

func text(_ response: Response<Data>) -> String { String(decoding: response.value, as: UTF8.self) }

func show() async throws {
  //: Without a network the request waits, and is not sent.
  var patient: Request = .get("today")
  patient.timeouts.waitsForConnectivity = true
  let waiting = client.send(patient).start()
  print("sent while offline:", transport.requests.count)
  network.update(.online)
  print("online:", text(try await waiting.value))

  //: A pipeline that fails is replaced by another one.
  let news = try await client.send(.get("today"))
    .fallback(to: client.send(.get("http://mirror.example/today")))
    .value
  print("instead:", text(news))

  //: A response that has not begun after the delay gets a competitor, and the first one is used.
  let hedged = client.send(.get("today")).start()
  await clock.sleepers(count: 1)
  clock.advance(by: .milliseconds(200))
  print("first:", text(try await hedged.value), "of", transport.requests.count - 3)
}

do {
  try await show()
} catch {
  print("failed:", error)
}
