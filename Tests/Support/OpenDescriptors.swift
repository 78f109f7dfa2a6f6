package import Foundation

/// Returns the number of descriptors of this process that lead to files below a directory.
package func openDescriptors(below directory: URL) -> Int {
  let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
  return
    numbers
    .filter { number in
      let path = "/proc/self/fd/\(number)"
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
      return target?.hasPrefix(directory.path) ?? false
    }
    .count
}
