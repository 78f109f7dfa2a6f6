import FreshetEssentials

/// The destination of a download.
enum DownloadTarget: Sendable, Hashable {
  /// A file, which is replaced.
  case file(URL)
  /// A new file of a directory, whose name the response decides.
  case directory(URL)

  /// Makes the destination of a stored item, which has one of the URLs; `nil` if it has none.
  init?(file: URL?, directory: URL?) {
    guard let target = file.map(Self.file) ?? directory.map(Self.directory) else { return nil }
    self = target
  }

  var url: URL {
    switch self {
    case .file(let url), .directory(let url): url
    }
  }

  /// The file that is replaced; `nil` for a new one of a directory.
  var file: URL? { if case .file(let url) = self { url } else { nil } }
  /// The directory of a new file; `nil` for a file that is replaced.
  var directory: URL? { if case .directory(let url) = self { url } else { nil } }

  /// The destination with an absolute URL.
  var absolute: DownloadTarget {
    switch self {
    case .file(let url): .file(url.absoluteURL)
    case .directory(let url): .directory(url.absoluteURL)
    }
  }

  /// The parameter as it is written.
  var wording: String {
    switch self {
    case .file(let url): "to: \(url.path)"
    case .directory(let url): "into: \(url.path)"
    }
  }
}

extension DownloadTarget {
  /// Finds out whether a body can go there, before anything is sent.
  ///
  /// - Parameters:
  ///   - work: The work that the folder holds.
  ///   - now: The client's time.
  /// - Returns: The folder for the arriving body; `nil` if nothing can be moved to the target.
  /// - Throws: ``FreshetError/file(_:path:)``.
  @concurrent
  func prepare(
    during work: ClientLifecycle.Work,
    now: Date
  ) async throws(FreshetError) -> ArrivalFolder? {
    do throws(FileFailure) {
      let folder: ArrivalFolder
      switch self {
      case .directory(let url):
        try Self.checkDirectory(url.path)
        folder = ArrivalFolder(in: url, during: work)
      case .file(let url):
        switch try ExistingFile.at(url.path) {
        case .open: return nil
        case .none(let file), .replaceable(let file, _), .linked(let file):
          folder = ArrivalFolder(of: file, during: work)
        }
      }
      folder.sweep(now: now)
      return folder
    } catch {
      throw error.error(at: url.path)
    }
  }

  private static func checkDirectory(_ path: String) throws(FileFailure) {
    var status = stat()
    _ = try FileFailure.check("examine", path) { stat(path, &status) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw FileFailure("use", ENOTDIR, path) }
    _ = try FileFailure.check("write into", path) { access(path, W_OK | X_OK) }
  }

  /// Puts a body in its place; one that cannot be put there waits in the folder for the next download.
  ///
  /// - Returns: The resource, its body in the file.
  @concurrent
  func take(
    _ resource: Resource,
    from folder: ArrivalFolder?
  ) async throws(FreshetError) -> Resource {
    let response = resource.response
    let placed: ResourceBody
    do throws(FreshetError) {
      switch self {
      case .file(let url):
        placed = try await Self.put(resource, at: url, from: folder)
      case .directory(let url):
        let name = SuggestedName(response.head).text
        let place = folder ?? ArrivalFolder(in: url)
        placed = try Self.put(resource, named: name, in: url, from: place)
      }
    } catch {
      _ = folder?.keep(resource)
      throw error
    }
    // Of what was not hashed on its way nothing is known that would be worth reading it again.
    return resource.with(response.with(body: placed, digest: response.digest))
  }
}

// MARK: - Placing

extension DownloadTarget {
  private static func put(
    _ resource: Resource,
    at url: URL,
    from folder: ArrivalFolder?
  ) async throws(FreshetError) -> ResourceBody {
    let existing = try FileFailure.reporting(at: url.path) { () throws(FileFailure) in
      try ExistingFile.at(url.path)
    }
    switch existing {
    case .none(let file):
      return try replace(file, by: resource, nil, from: folder ?? ArrivalFolder(of: file))
    case .replaceable(let file, let status):
      return try replace(file, by: resource, status, from: folder ?? ArrivalFolder(of: file))
    case .linked(let file):
      return try overwrite(file, with: resource, from: folder)
    case .open:
      return try await stream(resource.body, to: url.path)
    }
  }

  /// Puts a body under a name that nothing has yet.
  private static func put(
    _ resource: Resource,
    named name: String,
    in directory: URL,
    from folder: ArrivalFolder
  ) throws(FreshetError) -> ResourceBody {
    let resource = try arrived(resource, in: folder)
    for number in 1...9_999 {
      let file = directory.appendingPathComponent(
        SuggestedName.numbered(name, number),
        isDirectory: false
      )
      let status: stat
      do throws(FileFailure) {
        // The empty file keeps the name free, and has the permissions of a new one.
        status = try OpenFile(creating: file.path, O_WRONLY, mode: 0o666).status()
      } catch {
        if error.code == EEXIST { continue }
        throw error.error(at: file.path)
      }
      do throws(FreshetError) {
        return try replace(file, by: resource, status, from: folder)
      } catch {
        unlink(file.path)
        throw error
      }
    }
    throw FileFailure("make", EEXIST, nil).error(at: directory.appendingPathComponent(name).path)
  }

  /// Returns a resource whose body can be moved: that which has arrived, or with a copy of what a store has.
  ///
  /// It is copied before it gets a name, so that a process that is killed meanwhile leaves no empty file.
  private static func arrived(
    _ resource: Resource,
    in folder: ArrivalFolder
  ) throws(FreshetError) -> Resource {
    if case .file(let arrived) = resource.body.storage, arrived.isTemporary { return resource }
    let copy = ResourceBody(try folder.copy(resource.body, isNew: false))
    return resource.with(resource.response.with(body: copy, digest: resource.response.digest))
  }

  /// Moves the body to the file: the one that has arrived, or a copy of one that a store has.
  private static func replace(
    _ file: URL,
    by resource: Resource,
    _ status: stat?,
    from folder: ArrivalFolder
  ) throws(FreshetError) -> ResourceBody {
    let body = resource.body
    // The copy of a body that a store has could not be given to somebody else either.
    var mayCopy = status.map { $0.st_uid == geteuid() || geteuid() == 0 } ?? true
    if case .file(let arrived) = body.storage {
      // Another download of the same thing to the same file may have moved it already.
      if arrived.url == file { return body }
      if arrived.isTemporary {
        switch try move(arrived, to: file, status, folder) {
        case .placed(let placed): return placed
        case .refused: break
        case .occupied: mayCopy = false
        }
      }
    }
    if mayCopy {
      let copy = try folder.copy(body, isNew: status == nil)
      if case .placed(let placed) = try move(copy, to: file, status, folder) { return placed }
    }
    return try overwrite(file, with: resource, from: folder)
  }

  private enum Move {
    case placed(ResourceBody)
    /// The file cannot be moved, or is no file of a download's any more.
    case refused
    /// No file can be moved there: something is mounted in the place, as one file in a container, or the file there
    /// has an owner or a group that cannot be given.
    case occupied
  }

  /// Moves a file, with the permissions and the owner that the one in its place has.
  private static func move(
    _ arrived: BodyFile,
    to file: URL,
    _ status: stat?,
    _ folder: ArrivalFolder
  ) throws(FreshetError) -> Move {
    do throws(FileFailure) {
      guard try own(arrived.file, as: status) else { return .occupied }
      let mode =
        if let status { status.st_mode & 0o777 } else { try folder.modeOfNewFile(for: arrived) }
      try arrived.file.setPermissions(mode)
      try arrived.file.settle()
      guard try arrived.adopt(at: file) != nil else { return .refused }
      arrived.file.unlock()
      return .placed(ResourceBody(arrived))
    } catch {
      if error.code == EXDEV { return .refused }
      if error.code == EBUSY { return .occupied }
      throw error.error(at: file.path)
    }
  }

  /// Gives a new file the owner of the one that it replaces.
  ///
  /// - Returns: `false` where that is not allowed.
  private static func own(_ file: OpenFile, as status: stat?) throws(FileFailure) -> Bool {
    guard let status else { return true }
    let own = try file.status()
    guard own.st_uid != status.st_uid || own.st_gid != status.st_gid else { return true }
    return fchown(file.descriptor, status.st_uid, status.st_gid) == 0
  }

  /// Writes the bytes into a file or a pipe on a thread of its own: opening a pipe waits for its reader, until
  /// the task is cancelled.
  private static func stream(
    _ body: ResourceBody,
    to path: String
  ) async throws(FreshetError) -> ResourceBody {
    let substitute = SubstituteReader()
    return try await withTaskCancellationHandler {
      await write(body, to: path, substitute)
    } onCancel: {
      substitute.cancel(path)
    }
    .get()
  }

  private static func write(
    _ body: ResourceBody,
    to path: String,
    _ substitute: SubstituteReader
  ) async -> Result<ResourceBody, FreshetError> {
    await withCheckedContinuation { continuation in
      do throws(DetachedThreadFailure) {
        try DetachedThread.start(name: "freshet-output") {
          do throws(FreshetError) {
            let written = try overwrite(path, with: body) { substitute.end() }
            continuation.resume(returning: .success(written))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      } catch {
        continuation.resume(returning: .failure(.file(error.reason, path: path)))
      }
    }
  }

  /// Writes the bytes into a file that is there, and lets them wait in the folder until they are complete.
  private static func overwrite(
    _ file: URL,
    with resource: Resource,
    from folder: ArrivalFolder?
  ) throws(FreshetError) -> ResourceBody {
    let waiting = folder?.keep(resource)
    let written = try overwrite(file.path, with: resource.body)
    waiting?.discard()
    return written
  }

  /// Writes the bytes into what is there.
  ///
  /// A cancellation does not end the copy into a file: half of the bytes would be worth less than what it had.
  private static func overwrite(
    _ path: String,
    with body: ResourceBody,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(FreshetError) -> ResourceBody {
    let (output, isFile) = try FileFailure.reporting(at: path) { () throws(FileFailure) in
      let output = try OpenFile(path, O_WRONLY)
      return (output, try output.status().st_mode & S_IFMT == S_IFREG)
    }
    if isCancelled() { throw .cancelled }
    guard isFile else {
      try PipeSignal.withhold(of: output.descriptor) { () throws(FreshetError) in
        try feed(body, to: output, at: path, isCancelled: isCancelled)
      }
      return body
    }
    do throws(FreshetError) {
      try copy(body, over: output)
    } catch .file(let reason, "") {
      throw .file(reason, path: path)
    }
    // An open file may be one that cannot be read under this name.
    guard let file = try? BodyFile(opening: URL(filePath: path)) else { return body }
    return ResourceBody(file)
  }

  /// Writes the bytes in place of those of a file, which stays as it is if there is no space for them.
  ///
  /// - Throws: The failure, without a path.
  private static func copy(
    _ body: ResourceBody,
    over output: OpenFile
  ) throws(FreshetError) {
    try FileFailure.reporting(at: "") { () throws(FileFailure) in
      let allocated = Int64(try output.status().st_blocks) * 512
      try FreeSpace.check(output, for: body.length - allocated)
      // On macOS, `/dev/fd` leads to the position of the open file, which may append.
      let appends = fcntl(output.descriptor, F_GETFL) & O_APPEND != 0
      if appends { try output.truncate(to: 0) }
      _ = try FileFailure.check("write", nil) { lseek(output.descriptor, 0, SEEK_SET) }
    }
    try body.copy(to: output) { false }
    try FileFailure.reporting(at: "") { () throws(FileFailure) in
      try output.truncate(to: body.length)
      try output.settle()
    }
  }

  /// Writes the bytes into a pipe or a device, whose reader may have stopped reading.
  private static func feed(
    _ body: ResourceBody,
    to output: OpenFile,
    at path: String,
    isCancelled: () -> Bool
  ) throws(FreshetError) {
    var reader = BodyReader(body, count: 1 << 20)
    while let chunk = try reader.next() {
      var rest = chunk
      while !rest.isEmpty {
        if isCancelled() { throw .cancelled }
        var state = pollfd(fd: output.descriptor, events: Int16(POLLOUT), revents: 0)
        let count = poll(&state, 1, 100)
        if count == 0 || count < 0 && errno == EINTR { continue }
        try FileFailure.reporting(at: path) { () throws(FileFailure) in
          try output.write(rest.prefix(pipePiece))
        }
        rest = rest.dropFirst(pipePiece)
      }
    }
  }

  /// The number of bytes that a pipe takes without a wait once it is ready (`PIPE_BUF`).
  ///
  /// Nonblocking writes could be larger, but other users of the same open pipe would get them too.
  private static var pipePiece: Int {
    #if canImport(Darwin)
    512
    #else
    4_096
    #endif
  }
}

extension DownloadTarget {
  /// The failure with the name that the user has given instead of those where the body arrives.
  func named(_ error: FreshetError, _ folder: ArrivalFolder?) -> FreshetError {
    guard let folder, case .file(let reason, let path) = error, folder.contains(path) else {
      return error
    }
    return .file(reason, path: url.path)
  }
}
