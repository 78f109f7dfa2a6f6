import FreshetEssentials

/// A system call on a file that failed.
package final class FileFailure: Error {
  let operation: String
  let code: Int32
  let path: String?
  /// The reason, if it does not come from the system.
  private let refusal: String?

  init(_ operation: String, _ code: Int32, _ path: String?) {
    self.operation = operation
    self.code = code
    self.path = path
    refusal = nil
  }

  /// Makes a failure for an operation that the system would allow.
  init(refusing path: String, because refusal: String) {
    operation = "use"
    code = 0
    self.path = path
    self.refusal = refusal
  }

  /// A Boolean value that indicates whether no file of that name exists.
  var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// A Boolean value that indicates whether ``OpenFile/regular(_:_:)`` found no file: nothing, a
  /// link that is not followed, or something else.
  var isOfNoFile: Bool { isMissing || code == ELOOP || isRefusal }

  /// A Boolean value that indicates whether Freshet refused what the system would allow.
  var isRefusal: Bool { refusal != nil }

  /// A Boolean value that indicates whether the process, or the system, lacks descriptors or memory.
  var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

  package var reason: String {
    if let refusal { return "it was not possible to \(operation) it: \(refusal)" }
    return code == ENOSPC || code == EDQUOT
      ? "there is no space left to \(operation) it"
      : "it was not possible to \(operation) it: \(String(cString: strerror(code)))"
  }

  /// Returns the failure of a pipeline, about `path` unless this failure has a path of its own.
  func error(at path: String) -> FreshetError {
    .file(reason, path: self.path ?? path)
  }

  /// Does work on a file, and reports its failure with ``error(at:)``.
  static func reporting<Value>(
    at path: @autoclosure () -> String,
    _ work: () throws(FileFailure) -> Value
  ) throws(FreshetError) -> Value {
    do throws(FileFailure) {
      return try work()
    } catch {
      throw error.error(at: path())
    }
  }

  /// Repeats a call that a signal interrupted; a negative result is a failure.
  static func check<Number: SignedInteger>(
    _ operation: String,
    _ path: String?,
    _ call: () -> Number
  ) throws(FileFailure) -> Number {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw FileFailure(operation, code, path) }
    }
  }
}
