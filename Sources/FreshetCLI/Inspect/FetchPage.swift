import Freshet
import FreshetInspector

/// The page of `freshet fetch --inspect`, which shows the run and stays after it.
struct FetchPage {
  private let inspector: Inspector

  /// Makes the page of a client, and prints its URL.
  init(_ client: Client) throws(InspectorError) {
    inspector = try Inspector(port: 0) { $0.announce = { _ in } }
    inspector.add(client, name: "fetch")
    Console.error(inspector.announcement)
  }

  /// Waits until the program is interrupted; before this, an interruption ends the run.
  func stay() async {
    let interruption = Interruption()
    Console.error("freshet: the run has ended, and its page stays until Control-C")
    await interruption.wait()
    inspector.stop()
  }
}
