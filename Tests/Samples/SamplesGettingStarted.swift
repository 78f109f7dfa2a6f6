import Foundation
import Freshet
import FreshetTesting

/// Stands in the place of the standard library's, whose signature it has to have for that.
private func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  Printed.add(items)
}

/// The program of `GettingStarted.md`, in one piece.
func gettingStarted() async throws {
  let origin = try LoopbackServer([
    "/news.json": .content(
      Data(#"["Dry all week"]"#.utf8),
      type: "application/json",
      eTag: "\"1\"",
      cacheControl: "max-age=0"
    ),
    "/cities/Oslo": .json(#"{"name": "Oslo", "rain": 0.4}"#),
    "/cities/Atlantis": .json(#"{"message": "No such city"}"#, status: 404),
  ])

  let client = Client { $0.baseURL = origin.url() }
  let url = origin.url("/news.json")

  let news = try await client.resource(at: url).value
  print(news.source, news.freshness, news.body.length, "bytes")

  let staleFirst = client.resource(at: url) { $0.stale = .beforeValidation }

  for try await event in staleFirst {
    guard case .value(let news) = event else { continue }
    print(news.source, news.freshness, news.isFinal ? "and final" : "for now")
    if news.isFinal { print(news.explanation) }
  }

  struct City: Decodable, Sendable {
    var name: String
    var rain: Double
  }

  struct Fault: Decodable, Sendable {
    var message: String
  }

  struct ShowCity: Endpoint {
    typealias Output = City
    typealias Failure = Fault
    var name: String
    var path: RequestPath { "cities/\(name)" }
  }

  let city = try await client.call(ShowCity(name: "Oslo")).output
  print(city.name, city.rain)

  do throws(CallError<Fault>) {
    print(try await client.call(ShowCity(name: "Atlantis")).output)
  } catch {
    switch error {
    case .rejected(let rejection): print(rejection.status, rejection.model?.message ?? "")
    case .failed(let error): print(error)
    }
  }

  await origin.stop()
  let last = try await client.resource(at: url).value
  print(last.source, last.freshness)
  print(last.explanation)
}
