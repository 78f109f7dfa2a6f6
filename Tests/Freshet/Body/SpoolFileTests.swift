import Foundation
import TestSupport
import Testing

@testable import Freshet

@Suite struct SpoolFileTests {
  @Test(.timeLimit(.minutes(5)))
  func `makes a file in a directory that others make and remove at the same time`() async throws {
    let sandbox = StoreSandbox()
    let folder = sandbox.url.appendingPathComponent("folder")

    await withTaskGroup(of: [Int32].self) { group in
      for _ in 0..<2 {
        group.addTask {
          (0..<500)
            .compactMap { _ in
              defer { rmdir(folder.path) }
              do throws(FileFailure) {
                let (_, url) = try SpoolFile.make(in: folder)
                unlink(url.path)
                return nil
              } catch {
                return error.code
              }
            }
        }
      }
      for await codes in group { #expect(codes == []) }
    }
    withExtendedLifetime(sandbox) {}
  }
}
