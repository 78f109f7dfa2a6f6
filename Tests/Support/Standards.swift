package import Foundation

/// The input, the output and the error output of a program.
package struct Standards {
  package enum Input {
    case nothing
    case file(URL)
    case pipe(Pipe)
  }

  package enum Output {
    case nothing
    /// A file that is made or made empty.
    case file(URL)
    case pipe(Pipe)
  }

  package var input: Input
  package var output: Output
  package var error: Output

  package init(input: Input = .nothing, output: Output = .nothing, error: Output = .nothing) {
    self.input = input
    self.output = output
    self.error = error
  }

  /// Closes this process's side of what only the program uses, so that its end is seen.
  func closeFarEnds() {
    if case .pipe(let pipe) = input { try? pipe.fileHandleForReading.close() }
    for case .pipe(let pipe) in [output, error] { try? pipe.fileHandleForWriting.close() }
  }
}
