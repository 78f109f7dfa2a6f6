import Foundation
import Freshet

struct UploadCommandOptions: Sendable {
  let file: URL
  let url: String
  var method = HTTPMethod.post
  var resumption = UploadOptions.Resumption.ietf
  var server = ServerOptions()
  var journal: URL?
  var retries = 10
  var cancels = false
  var isSilent = false
  var format = FetchOptions.Format.text

  init(_ arguments: [String]) throws(UsageError) {
    var arguments = Arguments(arguments, of: "upload")
    while let option = try arguments.nextOption() {
      switch option {
      case "--tus": resumption = .tus
      case "--request", "-X": method = HTTPMethod(try arguments.value(of: option))
      case "--journal":
        journal = URL(filePath: try arguments.path(of: option), directoryHint: .notDirectory)
      case "--retry":
        guard let count = Int(try arguments.value(of: option)), count >= 0 else {
          throw UsageError("--retry takes a number")
        }
        retries = count
      case "--cancel": cancels = true
      case "--silent", "-s": isSilent = true
      case "--json": format = .json
      default:
        guard try server.apply(option, &arguments) else { throw arguments.unknown(option) }
      }
    }
    let operands = arguments.operands
    guard operands.count == 2 || cancels && operands.count == 1 else {
      throw UsageError("'freshet upload' needs a file and a URL")
    }
    file = URL(filePath: operands[0], directoryHint: .notDirectory)
    url = operands.count == 2 ? operands[1] : ""
    try server.end()
  }

  /// The journal, which is hidden beside the file unless another place was given.
  var usedJournal: UploadJournal {
    let beside = file.deletingLastPathComponent()
      .appending(path: ".\(file.lastPathComponent).freshet-upload", directoryHint: .notDirectory)
    return UploadJournal(at: journal ?? beside)
  }
}
