import Freshet
import FreshetEssentials

/// One GET, and the end: the least that a process does with Freshet.
///
/// The case `start` of the benchmark runs it again and again. Its binary is the small program of
/// *Performance*.
@main
struct FreshetStart {
  static func main() async throws {
    guard let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else {
      exit(2)
    }
    let client = Client()
    _ = try await client.resource(at: url).value
  }
}
