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
