import Freshet
import FreshetEssentials

/// A small file that contains the token of the last writer.
///
/// Each store writes its token after each commit; the others watch the file. A commit of a process
/// that is killed before it writes its token is noticed with the next commit.
struct ChangeNote {
  private let file: OpenFile
  private let token: [UInt8]

  init(_ path: String, token: UUID) throws(FileFailure) {
    file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW)
    self.token = Self.bytes(token)
  }

  func write() {
    _ = token.withUnsafeBytes { pwrite(file.descriptor, $0.baseAddress, $0.count, 0) }
  }

  static func bytes(_ token: UUID) -> [UInt8] {
    withUnsafeBytes(of: token.uuid) { Array($0) }
  }

  /// Returns a Boolean value that indicates whether, according to the file, another store has made
  /// the last commit.
  static func isForeign(_ file: OpenFile, _ token: UUID) -> Bool {
    guard let found = try? file.read(at: 0, count: 16) else { return true }
    return Array(found) != bytes(token)
  }
}
