import FreshetEssentials

/// The identity of a file, whatever its names are.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// Looks at the file to which a path leads; `nil` if there is none.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    device = status.st_dev
    number = status.st_ino
  }
}
