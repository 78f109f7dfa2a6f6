import Foundation
import Freshet
import FreshetImages

/// A picture beside this file, made by `Fixtures/make.py`.
enum Fixture {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "Fixtures", directoryHint: .isDirectory)

  static func data(_ name: String) throws -> Data {
    try Data(contentsOf: folder.appending(path: name))
  }

  /// All pictures but the bombs and the large ones.
  static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (files ?? [])
      .filter { name in
        !["make.py", "bomb", "large"].contains { name.hasPrefix($0) }
      }
      .sorted()
  }()

  static let red = SIMD3<UInt8>(255, 0, 0)
  static let green = SIMD3<UInt8>(0, 255, 0)
  static let blue = SIMD3<UInt8>(0, 0, 255)
  static let yellow = SIMD3<UInt8>(255, 255, 0)
  static let quarters = [red, green, blue, yellow]
}

extension Bitmap {
  /// The colours in the middle of the quarters: above from the left, then below.
  var quarters: [SIMD3<UInt8>] {
    [1, 3]
      .flatMap { row in
        [1, 3].compactMap { column in self[size.width * column / 4, size.height * row / 4] }
      }
      .map { SIMD3($0.x, $0.y, $0.z) }
  }

  /// Whether the quarters have these colours, give or take what JPEG changes.
  func shows(_ colors: [SIMD3<UInt8>], tolerance: Int = 12) -> Bool {
    quarters.count == colors.count
      && zip(quarters, colors)
        .allSatisfy { shown, wanted in
          (0..<3).allSatisfy { abs(Int(shown[$0]) - Int(wanted[$0])) <= tolerance }
        }
  }
}
