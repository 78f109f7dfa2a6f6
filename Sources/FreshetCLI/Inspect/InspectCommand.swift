import Foundation
import Freshet
import FreshetInspector

/// `freshet inspect`: shows a store at rest in the browser, until it is interrupted.
struct InspectCommand: RunnableCommand {
  let options: InspectOptions

  func run() async -> ExitStatus {
    guard let store = Paths.storeToRead(options.store) else { return .failure }
    // To plan a fetch looks the entry up, which is no use of it.
    store.ignoreUses()
    let client = Client {
      $0.memory = nil
      $0.disk = store
    }
    let interruption = Interruption()
    do throws(InspectorError) {
      let inspector = try Inspector(port: options.port) { $0.announce = { _ in } }
      inspector.add(client, name: options.store.lastPathComponent)
      // A reader that has gone is no reason to end.
      try? Console.out(inspector.announcement)
      await interruption.wait()
      inspector.stop()
    } catch {
      Console.error("freshet: \(error)")
      await store.close()
      return .failure
    }
    await store.close()
    return .success
  }
}
