import Foundation
import Freshet
import FreshetTesting

/// The state that the steps share: an origin on loopback, a clock that can be moved, and stores in
/// a temporary folder.
@MainActor
final class TourWorld {
  let clock = VirtualClock()
  let folder: TemporaryDirectory
  private(set) var origin: LoopbackServer
  var memory = MemoryStore()
  var disk: DiskStore

  init() throws(FreshetError) {
    folder = try TemporaryDirectory()
    disk = DiskStore(directory: folder.url)
    let clock = clock
    origin = try LoopbackServer { $0.now = { clock.date } }
    publish(version: 1)
  }

  var url: URL { origin.url("/logo.png") }
  var endless: URL { origin.url("/endless") }

  var client: Client {
    let clock = clock
    return Client {
      $0.memory = memory
      $0.disk = disk
      $0.now = { clock.date }
    }
  }

  /// Publishes a new version of the picture at the origin: fresh for a minute, with an `ETag`.
  func publish(version: UInt8) {
    let picture = Data(repeating: version, count: 192 * 1024)
    origin.route(
      "/logo.png",
      .content(
        picture,
        type: "image/png",
        eTag: "\"v\(version)\"",
        cacheControl: "max-age=60"
      )
      .dripped(64 * 1024, every: .milliseconds(5))
    )
    origin.route("/endless", .endless(Data(repeating: 0, count: 64 * 1024)))
  }

  func restartStores() async {
    await disk.close()
    memory = MemoryStore()
    disk = DiskStore(directory: folder.url)
  }

  func stopOrigin() async {
    await origin.stop()
  }

  func restartOrigin() throws(FreshetError) {
    let clock = clock
    let port = origin.port
    origin = try LoopbackServer {
      $0.now = { clock.date }
      $0.port = port
    }
    publish(version: 2)
  }

  func end() async {
    await origin.stop()
    await disk.close()
  }
}
