import Foundation
import Freshet

/// The command-line tool: reads its arguments, runs one command, and exits with its status.
@main
struct FreshetCommand {
  static func main() async {
    Descriptor.occupyStandardStreams()
    resetQuit()
    let status = await run(Array(CommandLine.arguments.dropFirst()))
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

  static func run(_ arguments: [String]) async -> ExitStatus {
    do throws(UsageError) {
      switch try Command(arguments) {
      case .text(let text): return tell(text)
      case .fetch(let options): return await FetchCommand(options: options).run()
      case .explain(let options): return await ExplainCommand(options: options).run()
      case .seed(let options): return await SeedCommand(options: options).run()
      case .store(let options): return await StoreCommand(options: options).run()
      case .stats(let options): return await StatsCommand(options: options).run()
      case .inspect(let options): return await InspectCommand(options: options).run()
      case .upload(let options): return await UploadCommand(options: options).run()
      case .socket(let options): return await SocketCommand(options: options).run()
      case .tour: return await TourCommand().run()
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
