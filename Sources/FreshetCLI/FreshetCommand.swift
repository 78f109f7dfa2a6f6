import Foundation
import Freshet

/// The command-line tool: reads its arguments, runs one command, and exits with its status.
@main
struct FreshetCommand {
  static func main() async {
    Descriptor.occupyStandardStreams()
    resetQuit()
    let status = await run()
    exit(status.rawValue)
  }

  /// Has SIGQUIT end the process, as it does unless the Swift runtime takes it for a crash and goes
  /// on.
  private static func resetQuit() {
    var action = sigaction()
    // The runtime's handler has the flag, and a signal that is ignored has not.
    guard sigaction(SIGQUIT, nil, &action) == 0, action.sa_flags & SA_SIGINFO != 0 else { return }
    signal(SIGQUIT, SIG_DFL)
  }

  private static func run() async -> ExitStatus {
    do throws(UsageError) {
      switch try Command(try ProcessArguments.words()) {
      case .text(let text): return tell(text)
      case .run(let command): return await command.run()
      }
    } catch {
      Console.error("freshet: \(Printable.line(error.message))\nSee 'freshet help'.")
      return .usage
    }
  }
}

extension FreshetCommand {
  private static func tell(_ text: String) -> ExitStatus {
    do throws(FreshetError) {
      try Console.out(text)
      return .success
    } catch {
      Console.error("freshet: \(error)")
      return .failure
    }
  }
}

/// The exit status of the process; scripts rely on the numbers.
enum ExitStatus: Int32, Sendable {
  case success = 0
  case failure = 1
  case usage = 2
}
