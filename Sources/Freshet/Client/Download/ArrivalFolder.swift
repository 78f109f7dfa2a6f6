import FreshetEssentials

/// A hidden folder beside a file, in which the file's body arrives and waits to be resumed.
///
/// The last reference to it removes the folder, unless something waits there.
final class ArrivalFolder: Sendable {
  let url: URL
  /// A Boolean value that indicates whether it is for one file, and not for all of a directory.
  private let isOfOneFile: Bool

  /// The folder of one file.
  init(of file: URL) {
    // A name has 255 bytes at most.
    let name = String(decoding: file.lastPathComponent.utf8.prefix(200), as: UTF8.self)
    url = file.deletingLastPathComponent()
      .appendingPathComponent(".\(name).freshet", isDirectory: true)
    isOfOneFile = true
  }

  /// The folder for all files of a directory.
  init(in directory: URL) {
    url = directory.appendingPathComponent(".freshet", isDirectory: true)
    isOfOneFile = false
  }

  deinit {
    removeIfEmpty()
  }

  private var partials: PartialFolder { PartialFolder(directory: url, byteLimit: .max) }

  /// The spool of one download: a body that has no room here has none in another place either, for it
  /// could not be moved to its file.
  var spool: Spool {
    var spool = Spool(directory: url)
    spool.memoryLimit = 0
    spool.partials = partials
    spool.folder = self
    return spool
  }

  /// Removes what killed processes have left that was complete but not in its place.
  func sweep() {
    _ = try? Spool(directory: url).sweep()
  }

  /// Removes what waits for a file that is complete now, and the folder, unless they are in use.
  func clear() {
    if isOfOneFile { partials.prune(leaving: .max) }
    removeIfEmpty()
  }

  private func removeIfEmpty() {
    _ = rmdir(url.path)
  }

  /// Copies a body that has not arrived here to a file that can be moved to its place.
  func copy(_ body: ResourceBody) throws(FreshetError) -> BodyFile {
    let (file, url): (OpenFile, URL)
    do throws(FileFailure) {
      (file, url) = try SpoolFile.make(in: self.url)
    } catch {
      throw error.error(at: self.url.path)
    }
    // It is removed with this value, unless it is moved.
    let copy = BodyFile(file, url: url, length: body.length, isTemporary: true)
    do throws(FreshetError) {
      try body.copy(to: file) { Task.isCancelled }
    } catch .file(let reason, "") {
      throw .file(reason, path: url.path)
    }
    return copy
  }

  /// The permissions of a new file, as the process's `umask` says; asking for the mask itself would
  /// change it.
  func modeOfNewFile() throws(FileFailure) -> mode_t {
    // While a file of this download is in the folder, no other one removes it.
    let (_, kept) = try SpoolFile.make(in: url)
    defer { unlink(kept.path) }
    let path = url.appendingPathComponent(Hexadecimal.unpredictableName()).path
    let file = try OpenFile(creating: path, O_WRONLY, mode: 0o666)
    defer { unlink(path) }
    return try file.status().st_mode & 0o777
  }
}

extension ArrivalFolder: Hashable {
  static func == (left: ArrivalFolder, right: ArrivalFolder) -> Bool { left === right }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
