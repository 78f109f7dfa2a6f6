import Foundation
import Freshet
import FreshetTesting

/// What becomes of a response.
extension Catalogue {
  static let services: [Benchmark] = [decode, route(10), route(10_000)]

  private struct Item: Codable, Sendable {
    var id: Int
    var name: String
    var tags: [String]
    var score: Double
  }

  private static let decode = Benchmark(
    name: "decode-1-MiB",
    unit: .rate,
    count: 20
  ) { world, _ in
    let items = (0..<world.options.count(10_000))
      .map {
        Item(id: $0, name: "An item with the number \($0)", tags: ["a", "b", "c"], score: 0.5)
      }
    let bytes = try JSONEncoder().encode(items)
    let response = ScriptedResponse(headers: [.contentType: "application/json"], body: bytes)
    let client = Client {
      $0.transport = ScriptedTransport { _ in response }
      $0.memory = nil
    }
    let request = Request(world.http("/items"))
    return [
      Contender(name: "freshet") { count, _ in
        for _ in 0..<count {
          let decoded = try await client.send(request).reject(as: Item.self).decode([Item].self)
            .value
          guard decoded.value.count == items.count else { throw BenchError("not all") }
        }
      },
      Contender(name: "JSONDecoder alone") { count, _ in
        for _ in 0..<count {
          let decoded = try JSONDecoder().decode([Item].self, from: bytes)
          guard decoded.count == items.count else { throw BenchError("not all") }
        }
      },
    ]
  }

  /// Matching alone, and with the decoding of a route whose model is the bytes as they are.
  private static func route(_ count: Int) -> Benchmark {
    Benchmark(name: "routes-\(count)", unit: .cost, count: 100_000) { world, _ in
      let routes = (0..<count).map { Route("kind\($0)/*/items/#", Data.self) }
      let router = try Router(basePath: "api/v1", routes)
      let url = world.http("/api/v1/kind\(count / 2)/anything/items/42")
      let request = Request(url)
      let response = Response(
        head: ResponseHead(status: .ok, headers: [:], url: url),
        value: Data("{}".utf8)
      )
      return [
        Contender(name: "freshet") { count, _ in
          for _ in 0..<count {
            guard try router.route(for: request, response: response) != nil else {
              throw BenchError("no route")
            }
          }
        },
        Contender(name: "freshet, decoded as bytes") { count, _ in
          for _ in 0..<count {
            _ = try router.decode(Data.self, from: response, for: request)
          }
        },
      ]
    }
  }
}
