import Foundation
import Freshet
for count in [10, 10_000] {
  var routes: [Route] = [Route("users/*/files/#", JSONValue.self), Route("users/**", JSONValue.self)]
  for i in 0..<(count - 2) { routes.append(Route(i % 2 == 0 ? "r\(i)/*/items/#" : "users/u\(i)/x", JSONValue.self)) }
  let start = ContinuousClock.now
  let router = try Router(basePath: "v1", routes)
  print("build", count, ContinuousClock.now - start)
  let response = Response(head: ResponseHead(status: .ok, headers: [:], url: URL(filePath: "/")), value: Data())
  for path in ["v1/users/anna/files/42", "v1/users/u\(count - 3)/x", "v1/r\(count-4)/abc/items/7", "v1/users/anna/files/x/y", "v1/none", "v1/users/caf%C3%A9/files/42"] {
    let request = try Request("https://api.example.org/\(path)?page=2")
    var hits = 0
    let n = 300_000
    var best = Duration.seconds(1000)
    for _ in 0..<5 {
      let t = ContinuousClock.now
      for _ in 0..<n { if try router.route(for: request, response: response) != nil { hits += 1 } }
      best = min(best, ContinuousClock.now - t)
    }
    print(count, path, hits > 0, Double(best.components.attoseconds) / 1e9 / Double(n) + Double(best.components.seconds)*1e9/Double(n), "ns")
  }
}
