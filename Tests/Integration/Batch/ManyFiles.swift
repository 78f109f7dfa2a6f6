import Foundation
import Freshet
import FreshetTesting

/// Ten thousand URLs at an nginx: files of mixed sizes, some that are not there, some that come
/// without a length.
struct ManyFiles: Sendable {
  static let count = 10_000
  /// What comes so slowly that it is under way when its process is killed.
  static let slow = 0
  static let slowLength = 24 << 20

  let nginx: Nginx

  /// Writes the files, unless an earlier test has.
  init(on nginx: Nginx) throws {
    self.nginx = nginx
    let folder = nginx.folder.url.appending(path: "files/many")
    guard !FileManager.default.fileExists(atPath: folder.path) else { return }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for number in 0..<Self.count where Self.kind(number) != .missing {
      try Self.write(Self.body(number), to: folder.appending(path: "\(number)"))
    }
  }

  /// Without the `fsync` of `Data.write(to:)`, for which ten thousand files would wait.
  private static func write(_ data: Data, to file: URL) throws {
    guard let stream = fopen(file.path, "wb") else { throw CocoaError(.fileWriteUnknown) }
    defer { fclose(stream) }
    let count = data.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, stream) }
    guard count == data.count else { throw CocoaError(.fileWriteUnknown) }
  }

  enum Kind {
    /// A file whose length is told.
    case plain
    /// A file that nginx sends as it reads it.
    case streamed
    case missing
  }

  static func kind(_ number: Int) -> Kind {
    if number % 50 == 7 { return .missing }
    return number % 20 == 3 ? .streamed : .plain
  }

  /// Most are small, some empty, one in five hundred has a quarter of a mebibyte.
  static func length(_ number: Int) -> Int {
    if number == slow { return slowLength }
    if kind(number) == .streamed { return 1 + number % 3_000 }
    return number % 500 == 1 ? 256 << 10 : number * 7 % 4_096
  }

  static func body(_ number: Int) -> Data {
    let pattern = Data("\(number) is a number. ".utf8)
    let length = length(number)
    var data = pattern
    data.reserveCapacity(2 * length)
    while data.count < length { data.append(data) }
    return data.prefix(length)
  }

  /// Half of the plain ones can be stored before, as the number says.
  static func isEarly(_ number: Int) -> Bool {
    number % 10 == 5 && kind(number) == .plain
  }

  func url(_ number: Int) -> URL {
    if number == Self.slow { return nginx.http("/slow/many/\(number)") }
    let folder = Self.kind(number) == .streamed ? "streamed" : "hour"
    return nginx.http("/\(folder)/many/\(number)")
  }

  var urls: [URL] { (0..<Self.count).map(url) }

  static func numbers(_ kind: Kind) -> [Int] {
    (0..<count).filter { Self.kind($0) == kind }
  }
}
