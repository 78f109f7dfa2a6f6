import Foundation
import Freshet

private func waiting() {
  let client = Client { $0.timeouts.waitsForConnectivity = true }
  _ = client
}

private func tested() async throws {
  let network = Connectivity(.offline)
  let client = Client {
    $0.connectivity = network
    $0.timeouts.waitsForConnectivity = true
  }
  let running = client.send(.get("https://api.example.org/tweets")).start()
  network.update(.online)
  _ = try await running.value
}

private func second(client: Client, url: URL, mirror: URL) async throws -> Resource {
  let logo = try await client.resource(at: url)
    .fallback(to: client.resource(at: mirror))
    .value
  return logo
}

private func hedged() -> [Client] {
  let hedging = Client { $0.hedging = HedgingPolicy { $0.percentile = 0.95 } }
  let careful = Client { $0.expectContinueLength = 1 << 20 }
  return [hedging, careful]
}
