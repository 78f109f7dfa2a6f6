import Foundation
import TestSupport
import Testing

@testable import Freshet

@Suite struct PrivateDirectoryTests {
  @Test(.timeLimit(.minutes(2)))
  func `makes a directory that others make and remove at the same time`() async throws {
    let sandbox = StoreSandbox()
    let path = sandbox.url.appendingPathComponent("folder").path

    await withTaskGroup(of: [Int32].self) { group in
      for _ in 0..<2 {
        group.addTask {
          (0..<500)
            .compactMap { _ in
              defer { rmdir(path) }
              do throws(FileFailure) {
                try PrivateDirectory.make(path)
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
