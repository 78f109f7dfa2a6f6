import FreshetEssentials

/// A hidden folder beside a file, in which the file's body arrives and waits to be resumed.
///
/// The last reference to it removes the folder, unless something waits there.
final class ArrivalFolder: Sendable {
  let url: URL
  /// The file for a copy, beside the one that it replaces; `nil` for the folder of a directory.
  ///
  /// A small body is written there, so that it needs no folder. Its name is fixed, so that the next
  /// download finds what a killed process has left, and its writer holds its lock.
  let copyFile: URL?
  /// The work that the client waits for when it is shut down, until the folder has been removed.
  private let work: ClientLifecycle.Work?

  /// The folder of one file.
  init(of file: URL, during work: ClientLifecycle.Work? = nil) {
    self.work = work
    let name = Self.shortened(file.lastPathComponent)
    let directory = file.deletingLastPathComponent()
    url = directory.appendingPathComponent(".\(name).freshet", isDirectory: true)
    copyFile = directory.appendingPathComponent(".\(name).freshet-copy", isDirectory: false)
  }

  /// The folder for all files of a directory.
  init(in directory: URL, during work: ClientLifecycle.Work? = nil) {
    self.work = work
    url = directory.appendingPathComponent(".freshet", isDirectory: true)
    copyFile = nil
  }

  deinit {
    removeIfEmpty()
  }

  /// Returns a name with room for a prefix and a suffix: a name has 255 bytes at most.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > 200 else { return name }
    let digest = SHA256Hasher.digest(of: Data(name.utf8)).hex.prefix(16)
    return String(decoding: name.utf8.prefix(180), as: UTF8.self) + "-" + digest
  }

  private var partials: PartialFolder {
    var partials = PartialFolder(directory: url, byteLimit: .max)
    partials.isArrival = true
    return partials
  }

  /// The spool of one download: a body that has no room here has none in another place either, for it
  /// could not be moved to its file.
  var spool: Spool {
    var spool = Spool(directory: url)
    spool.memoryLimit = 0
    spool.partials = partials
    spool.folder = self
    return spool
  }

  /// Removes what killed processes have left that nothing resumes.
  func sweep(now: Date) {
    _ = try? Spool(directory: url).sweep()
    partials.sweepOrphans(now: now)
    if let copyFile { _ = SpoolFile.removeIfAbandoned(copyFile.path) }
  }

  /// Removes what waits for a file that is complete now, and the folder, unless they are in use.
  func clear() {
    if copyFile != nil { partials.removeWaiting() }
    removeIfEmpty()
  }

  /// Lets a complete body wait to be resumed while it is copied: an interrupted copy does not lose it.
  ///
  /// - Returns: The file, which is discarded after the copy; `nil` for a body that cannot be resumed.
  func keep(_ resource: Resource) -> PartialFile? {
    let response = resource.response
    guard case .file(let arrived) = response.body.storage, arrived.isTemporary,
      contains(arrived.url.path), let digest = response.digest,
      Resumption.mayResume(resource.request, response.head, receivedAt: response.responseTime)
    else { return nil }
    var head = response.head
    // With it, the next download asks for the last byte.
    head.headers[.contentLength] = String(response.body.length)
    // `identity` would make the length unknown.
    head.headers.remove(.contentEncoding)
    let record = PartialRecord(
      key: response.key,
      varying: response.varying,
      head: head,
      tags: response.tags,
      requestTime: response.requestTime,
      responseTime: response.responseTime
    )
    return try? partials.take(arrived, record, digest)
  }

  private func removeIfEmpty() {
    // A killed process may have left it.
    _ = rmdir(probe)
    _ = rmdir(url.path)
  }

  /// Returns whether a path is one of a file here.
  func contains(_ path: String) -> Bool {
    path == url.path || path.hasPrefix(url.path + "/") || path == copyFile?.path
  }

  /// Copies a body that has not arrived here to a file that can be moved to its place.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - isNew: A Boolean value that indicates whether the copy replaces no file: then it may have the
  ///     permissions of a new one from the beginning.
  /// - Returns: The copy.
  /// - Throws: ``FreshetError/file(_:path:)`` or ``FreshetError/cancelled``.
  func copy(_ body: ResourceBody, isNew: Bool) throws(FreshetError) -> BodyFile {
    let (file, url) = try FileFailure.reporting(at: self.url.path) { () throws(FileFailure) in
      try makeFile(mode: isNew ? 0o666 : 0o600)
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

  /// Makes a locked, empty file: ``copyFile``, or one in the folder if another download has that.
  private func makeFile(mode: mode_t) throws(FileFailure) -> (file: OpenFile, url: URL) {
    do throws(FileFailure) {
      if let copyFile { return (try SpoolFile.make(at: copyFile.path, mode: mode), copyFile) }
    } catch {
      guard [EEXIST, EWOULDBLOCK].contains(error.code) else { throw error }
    }
    return try SpoolFile.make(in: url, isArrival: true)
  }

  /// The permissions of a new file, as the process's `umask` says; asking for the mask itself would
  /// change it.
  func modeOfNewFile(for body: BodyFile) throws(FileFailure) -> mode_t {
    if body.url == copyFile { return try body.file.status().st_mode & 0o777 }
    var attempts = 0
    while true {
      do throws(FileFailure) {
        try PrivateDirectory.make(url.path, mayBeAsItsParent: true)
        // A directory needs no descriptor, of which there may be none left.
        _ = try FileFailure.check("make", probe) { mkdir(probe, 0o777) }
        defer { rmdir(probe) }
        var status = stat()
        _ = try FileFailure.check("examine", probe) { lstat(probe, &status) }
        return status.st_mode & 0o666
      } catch {
        // Another download may use the name, or remove it, or the folder while that is empty.
        attempts += 1
        guard error.isMissing || error.code == EEXIST, attempts < 16 else { throw error }
        _ = rmdir(probe)
      }
    }
  }

  /// The path of the directory that is made for a moment to see the permissions of a new one.
  private var probe: String { url.path + "/.mode" }
}

extension ArrivalFolder: Hashable {
  static func == (left: ArrivalFolder, right: ArrivalFolder) -> Bool { left === right }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
