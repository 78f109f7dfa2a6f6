import Foundation
import Freshet
import Synchronization

/// The folder of `--into`, with one file for each body and none outside of it.
///
/// A file is named by `Content-Disposition`, or by the end of the URL that was asked for. No two bodies of
/// a run have one name: the later of two gets a number. A name that comes from a URL replaces a file that is
/// there, one that a server has chosen does not, also when several runs write into the folder. What a
/// continued run has written is not replaced by a body of the same name.
final class OutputFolder: Sendable {
  let url: URL
  private let names: Mutex<Names>

  private struct Names {
    /// The names of URLs that a continued run has completed, as file systems may compare them.
    let completed: Set<String>
    /// The names in use, as file systems may compare them, with what they were made of.
    var used: [String: (name: String, number: Int)] = [:]
    /// The names that URLs have reserved, by position.
    var reserved: [Int: String] = [:]
    /// The last number that each name has got, so that not all of them are tried again.
    var numbers: [String: Int] = [:]

    init(completed: [URL]) {
      self.completed = Set(completed.map { Self.key(FileName.of($0)) })
    }

    /// Takes the name that a URL ends with, or a number of it if a continued run may have written the file.
    mutating func take(_ asked: URL, unless exists: (String) -> Bool) -> String {
      let name = FileName.of(asked)
      let completed = self.completed
      let isShared = completed.contains(Self.key(name))
      return take(name) { (isShared || completed.contains(Self.key($0))) && exists($0) }
    }

    mutating func take(_ name: String, unless isTaken: (String) -> Bool) -> String {
      let key = Self.key(name)
      var (free, number) = (name, numbers[key] ?? 1)
      while used[Self.key(free)] != nil || isTaken(free) {
        number += 1
        free = FileName.numbered(name, number)
        numbers[key] = number
      }
      used[Self.key(free)] = (key, number)
      return free
    }

    mutating func free(_ name: String) {
      guard let (first, number) = used.removeValue(forKey: Self.key(name)) else { return }
      numbers[first] = min(numbers[first] ?? 1, max(1, number - 1))
    }

    private static func key(_ name: String) -> String {
      name.precomposedStringWithCanonicalMapping.lowercased()
    }
  }

  /// Makes a folder for a run; `completed` are the URLs of the run that it continues.
  init(_ url: URL, completed: [URL] = []) {
    self.url = url
    names = Mutex(Names(completed: completed))
  }

  /// Makes the folder, if it is not there.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be made.
  func make() throws(FreshetError) {
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw .file("the folder cannot be made", path: url.path)
    }
  }

  /// Keeps the name that a URL ends with for a place, so that the first in order has it without a number.
  func reserve(_ place: Int, _ asked: URL) {
    names.withLock { names in names.reserved[place] = names.take(asked, unless: exists) }
  }

  /// Writes a body under a name of its own.
  ///
  /// - Parameters:
  ///   - body: The body, which is written completely or not at all.
  ///   - head: The head that is written before it.
  ///   - place: The place of the URL.
  ///   - asked: The URL that was asked for.
  ///   - headers: The header fields of the response.
  /// - Returns: The file.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written.
  func take(
    _ body: ResourceBody,
    after head: Data,
    of place: Int,
    asked: URL,
    _ headers: HTTPHeaders
  ) async throws(FreshetError) -> URL {
    let (name, isNew) = name(place, asked, headers)
    let file = file(name)
    do throws(FreshetError) {
      // A link that has the name is replaced, not followed: it may lead out of the folder.
      try body.write(to: file, after: head, permissions: nil)
    } catch {
      if isNew { unlink(file.path) }
      throw error
    }
    return file
  }

  /// Returns the file with content that a body for a place would replace.
  func existing(_ place: Int, _ headers: HTTPHeaders) -> URL? {
    let isNamed = SuggestedName.candidates(in: headers).contains { FileName.safe($0) != nil }
    guard !isNamed, let name = names.withLock({ $0.reserved[place] }) else { return nil }
    let file = file(name)
    return OutputFile(file).hasContent ? file : nil
  }

  private func file(_ name: String) -> URL {
    url.appending(path: name, directoryHint: .notDirectory)
  }

  private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: file(name).path)
  }

  /// The name that a server suggests, or the one that the place has, and whether an empty file was made for it.
  private func name(
    _ place: Int,
    _ asked: URL,
    _ headers: HTTPHeaders
  ) -> (name: String, isNew: Bool) {
    let suggested = SuggestedName.candidates(in: headers).lazy.compactMap(FileName.safe).first
    return names.withLock { names in
      let reserved = names.reserved.removeValue(forKey: place)
      guard let suggested else {
        return (reserved ?? names.take(asked, unless: exists), false)
      }
      if let reserved { names.free(reserved) }
      var isNew = false
      let name = names.take(suggested) { name in
        // The empty file keeps the name free: another run may want it, too.
        let descriptor = open(file(name).path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        isNew = descriptor >= 0
        // Any other failure is that of the write.
        guard isNew else { return errno == EEXIST }
        close(descriptor)
        return false
      }
      return (name, isNew)
    }
  }
}
