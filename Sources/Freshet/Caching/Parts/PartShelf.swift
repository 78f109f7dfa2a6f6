import FreshetEssentials
import Synchronization

/// A folder of ranges of bodies that are not stored as a whole: one version for each key, in two
/// files.
///
/// ```
/// ab12….log            what they belong to, and what is there, see ``PartRecord``
/// ab12…cd34….bytes     the bytes, at their places in a sparse file
/// ```
///
/// Another version has another file, and its log replaces the former one atomically, so that no
/// reader mixes the bytes of two versions. They count against
/// ``DiskStore/Configuration/partialByteLimit``.
final class PartShelf: Sendable, Hashable {
  private let path: String
  let survivesPower: Bool
  private let limit: @Sendable () -> Int64
  private let open = Mutex(Opened())
  /// Held while a version begins: of those who ask at the same time, the first one begins it.
  private let beginning = Mutex(())

  private struct Opened {
    /// The parts that were used last.
    var parts: [String: PartFile] = [:]
    var order: [String] = []
    /// The number of removals by this process.
    var removals = 0
    /// The number of bytes that may be written before the files are counted again.
    var room: Int64 = 0
  }

  /// The largest number of parts that are held open.
  private static let openLimit = 16
  /// The age at which unused parts are removed, in seconds.
  private static let maximumAge: TimeInterval = 30 * 86_400

  init(directory: URL, survivesPower: Bool, limit: @escaping @Sendable () -> Int64) {
    path = directory.path
    self.survivesPower = survivesPower
    self.limit = limit
  }

  static func == (left: PartShelf, right: PartShelf) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// A Boolean value that indicates whether the folder exists, as it does once a part has begun.
  private var exists: Bool { access(path, F_OK) == 0 }

  func log(_ name: String) -> String { "\(path)/\(name).log" }
  func body(_ name: String) -> String { "\(path)/\(name).bytes" }

  /// The file that each removal makes longer by a byte, or empties, for the requests of other processes.
  private var removalsFile: String { "\(path).removals" }

  private var removalsSize: Int {
    var status = stat()
    return lstat(removalsFile, &status) == 0 ? Int(status.st_size) : 0
  }

  /// A number that each removal changes, which those who begin something compare with the one when they asked for
  /// it.
  var epoch: Int { open.withLock { $0.removals } + removalsSize }
}

// MARK: - Finding and beginning

extension PartShelf {
  /// Returns the parts that are stored for a key and for a request with these headers.
  func find(_ key: CacheKey, for headers: HTTPHeaders) -> PartFile? {
    guard exists else { return nil }
    let name = PartialFolder.name(key)
    guard let part = part(name), part.whole.key == key.text,
      part.whole.varyingFields.match(headers)
    else { return nil }
    part.noteUse()
    return part
  }

  private func opened(_ name: String) -> PartFile? {
    guard let part = open.withLock({ $0.parts[name] }) else { return nil }
    if part.isCurrent {
      part.catchUp()
      if !part.hasLongLog { return part }
    }
    open.withLock { $0.parts[name] = nil }
    return nil
  }

  private func part(_ name: String) -> PartFile? {
    if case .part(let part) = loading(name) { part } else { nil }
  }

  /// The result of opening a part.
  private enum Loading {
    case part(PartFile)
    /// It is not complete, or not a part.
    case broken
    /// It could not be opened, for want of descriptors for instance.
    case closed
  }

  private func loading(_ name: String) -> Loading {
    if let part = opened(name) { return .part(part) }
    let flags = O_RDWR | O_NOFOLLOW
    do throws(FileFailure) {
      let (log, status) = try OpenFile.regular(self.log(name), flags | O_APPEND)
      let beginning = try log.read(at: 0, count: Int(min(status.st_size, 1 << 20)))
      guard let end = beginning.firstIndex(of: UInt8(ascii: "\n")),
        let record = PartRecord(line: beginning[..<end])
      else { return .broken }
      let file = try OpenFile.regular(body(record.file), flags).file
      let read = Int64(end - beginning.startIndex + 1)
      guard let long = PartFile(record, file, log, read: read, name: name, on: self) else {
        return .broken
      }
      let part = shortened(long, file, name) ?? long
      hold(part, name)
      return .part(part)
    } catch {
      return error.isOfNoFile ? .broken : .closed
    }
  }

  /// Begins the log of a part again, without the lines that later ones have replaced.
  ///
  /// Segments that somebody adds to the former log meanwhile are requested again.
  private func shortened(_ part: PartFile, _ file: OpenFile, _ name: String) -> PartFile? {
    let epoch = epoch
    guard let (record, segments) = part.shortLog, part.isCurrent else { return nil }
    let line = record.line
    guard let log = put(line + segments, name) else { return nil }
    // What is removed meanwhile does not come back.
    guard epoch == self.epoch else {
      remove(name)
      return nil
    }
    return PartFile(record, file, log, read: Int64(line.count), name: name, on: self)
  }

  private func hold(_ part: PartFile, _ name: String) {
    open.withLock { open in
      open.parts[name] = part
      open.order.removeAll { $0 == name }
      open.order.append(name)
      if open.order.count > Self.openLimit { open.parts[open.order.removeFirst()] = nil }
    }
  }

  /// Begins a version in place of another one that was there.
  ///
  /// - Parameters:
  ///   - whole: The resource that they belong to.
  ///   - validator: The validator of the version.
  ///   - epoch: That of when it was asked for.
  /// - Returns: Its parts, which somebody else may have begun meanwhile; `nil` if something was removed since it was
  ///   asked for, or nothing can be written.
  func begin(_ whole: PartialRecord, _ validator: StrongValidator, since epoch: Int) -> PartFile? {
    beginning.withLock { _ in beginAlone(whole, validator, since: epoch) }
  }

  private func beginAlone(
    _ whole: PartialRecord,
    _ validator: StrongValidator,
    since epoch: Int
  ) -> PartFile? {
    guard limit() > 0, epoch == self.epoch, (try? PrivateDirectory.make(path)) != nil
    else {
      return nil
    }
    let name = PartialFolder.name(CacheKey(text: whole.key))
    let former = self.part(name)
    if let former, former.validator == validator, former.total == whole.total,
      former.whole.hasSameVaryingFields(as: whole)
    {
      former.renew(whole.tagged(former.whole.tags))
      return former
    }
    let record = PartRecord(whole, file: name + Hexadecimal.unpredictableName())
    let path = body(record.file)
    guard let file = try? OpenFile(creating: path, O_RDWR) else { return nil }
    guard let log = put(record.line, name),
      let part = PartFile(record, file, log, read: Int64(record.line.count), name: name, on: self)
    else {
      unlink(path)
      return nil
    }
    if let former { unlink(body(former.fileName)) }
    // What is removed meanwhile has not seen it.
    guard epoch == self.epoch else {
      remove(name)
      return nil
    }
    hold(part, name)
    return part
  }

  /// Replaces the log.
  private func put(_ data: Data, _ name: String) -> OpenFile? {
    let access = O_RDWR | O_APPEND
    return try? ReplacementFile.put(data, at: log(name), access, survivesPower: survivesPower)
  }
}

// MARK: - Removing

extension PartShelf {
  /// Removes one version, unless another one has taken its place.
  func remove(_ part: PartFile) {
    if part.isCurrent { remove(PartialFolder.name(CacheKey(text: part.whole.key))) }
  }

  func remove(_ key: CacheKey) {
    // Most stores have no parts.
    if exists { remove(PartialFolder.name(key)) }
  }

  /// Removes the parts whose records match, all of them without a condition; requests that were
  /// sent before begin no parts, and no partial bodies.
  ///
  /// - Throws: The failure of the system, if they cannot be listed; none is removed then.
  func removeAll(where isWanted: ((PartialRecord) -> Bool)? = nil) throws(FileFailure) {
    noteRemoval()
    for name in try DirectoryEntry.list(path).names(before: ".log") {
      if let isWanted, let part = part(name), !isWanted(part.whole) { continue }
      remove(name)
    }
  }

  private func noteRemoval() {
    open.withLock { $0.removals += 1 }
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK
    let cut = removalsSize < Self.removalsLimit ? 0 : O_TRUNC
    try? PrivateDirectory.make(Directory.parent(of: path))
    // Where it cannot be written, as on a full disk, other processes do not hear of it.
    try? OpenFile(removalsFile, flags | cut).write(Data("\n".utf8))
  }

  private static let removalsLimit = 1 << 20

  /// Removes parts that have not been used for 30 days, and files that belong to no parts.
  func sweep(now: Date) {
    // Without a list of the logs, all bytes would seem to belong to no parts.
    guard let files = try? DirectoryEntry.list(path) else { return }
    var needed: Set<String> = []
    // What cannot be opened at the moment stays.
    var closed: Set<String> = []
    for name in files.names(before: ".log") {
      guard let age = DirectoryEntry.age(of: log(name), now), age < Self.maximumAge else {
        remove(name)
        continue
      }
      switch loading(name) {
      case .part(let part): needed.insert(part.fileName + ".bytes")
      case .broken: remove(name)
      case .closed: closed.insert(name)
      }
    }
    DirectoryEntry.removeStrays(files, in: path, now: now) {
      !$0.hasSuffix(".log") && !needed.contains($0) && !closed.contains(Self.key(of: $0))
    }
  }

  /// A Boolean value that indicates whether a cell more of a part may be written; others give way to it, the one that was
  /// used longest ago first.
  ///
  /// The files are counted now and then, for that takes as long as there are many.
  func hasRoom(besides part: PartFile) -> Bool {
    let hasRoom = open.withLock { open in
      guard open.room >= PartSegment.cell else { return false }
      open.room -= PartSegment.cell
      return true
    }
    if hasRoom { return true }
    let room = makeRoom(besides: part) - PartSegment.cell
    guard room >= 0 else { return false }
    open.withLock { $0.room = min(room, limit() / 16) }
    return true
  }

  /// - Returns: The number of bytes that may be written.
  private func makeRoom(besides part: PartFile) -> Int64 {
    let room = limit() - part.storedBytes
    guard room > PartSegment.cell else { return 0 }
    let others = files().filter { $0.name != part.fileName }
    // Some more than this cell, or the next one would count again.
    let excess = others.excess(over: room - min(room, max(PartSegment.cell, limit() / 16)))
    for other in excess {
      let name = Self.key(of: other.name)
      if self.part(name)?.fileName == other.name {
        remove(name)
      } else {
        // A file of a former version, whose place another one has taken.
        unlink(body(other.name))
      }
    }
    return room - (others.bytes - excess.bytes)
  }

  /// The files of bytes, with their sizes on the disk and those of their logs.
  private func files() -> [EvictionCandidate] {
    DirectoryEntry.names(in: path).names(before: ".bytes")
      .compactMap { name in
        var (body, log) = (stat(), stat())
        guard lstat(self.body(name), &body) == 0 else { return nil }
        let hasLog = lstat(self.log(Self.key(of: name)), &log) == 0
        let blocks = Int64(body.st_blocks) + (hasLog ? Int64(log.st_blocks) : 0)
        return EvictionCandidate(
          name: name,
          bytes: blocks * 512,
          used: hasLog ? DirectoryEntry.orderingTime(log) : 0
        )
      }
  }

  /// The number and the size of all parts.
  func count() -> (count: Int, bytes: Int64) {
    let files = files()
    return (files.count, files.bytes)
  }

  /// Every part, opened one after the other.
  var all: some Sequence<PartFile> {
    DirectoryEntry.names(in: path).names(before: ".log").lazy.compactMap { self.part($0) }
  }

  /// Returns the name of the key that a file of bytes belongs to.
  private static func key(of file: String) -> String { String(file.prefix(64)) }

  private func remove(_ name: String) {
    let part = part(name)
    // The log first: without it, the bytes cannot be found.
    unlink(log(name))
    if let part { unlink(body(part.fileName)) }
    open.withLock { $0.parts[name] = nil }
  }
}
