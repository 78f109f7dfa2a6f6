import Foundation
import Freshet
import Synchronization

/// `freshet socket`: sends each line of standard input as a text, and prints each message.
struct SocketCommand: RunnableCommand {
  let options: SocketOptions

  func run() async -> ExitStatus {
    let client = options.server.client()
    let socket = client.socket(.get(RequestPath(raw: options.url))) {
      $0.protocols = options.protocols
      $0.reconnection = options.reconnects ? Reconnection() : nil
    }
    let activity = Activity()
    let sending = Task { await send(to: socket, activity) }
    defer { sending.cancel() }
    do throws(FreshetError) {
      for try await update in socket.updates {
        activity.note()
        if case .closed(let close) = update { try check(close, activity) }
        guard try show(update) else { break }
      }
      return activity.hasFailed ? .failure : .success
    } catch {
      Console.error(Printable.line("freshet: \(error)"))
      return .failure
    }
  }

  /// Throws for an end that the tool has not asked for.
  private func check(_ close: WebSocket.Close, _ activity: Activity) throws(FreshetError) {
    if close.code == .abnormal {
      guard activity.hasArrived else { throw .connection(.lost, url: options.url) }
    } else if !close.code.isNormal, !(options.reconnects && close.code.isTransient) {
      // It has crossed the tool's own close.
      throw .closed(close, url: options.url)
    }
  }

  /// Shows an update, and returns whether standard output is still open.
  private func show(_ update: WebSocket.Update) throws(FreshetError) -> Bool {
    switch update {
    case .received(.text(let text)):
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let shown = Console.showsOutput ? lines.map(Printable.line).joined(separator: "\n") : text
      return try Console.write(Data("\(shown)\n".utf8))
    case .received(.binary(let data)):
      guard Console.showsOutput, data.isBinary else { return try Console.write(data) }
      let kind = "a binary message of \(data.count) bytes"
      Console.error("freshet: \(kind) was not written to the terminal")
    case .reconnecting(let pause, let error):
      Console.error(
        Printable.line("freshet: \(error) Reconnecting in \(pause.components.seconds) s.")
      )
    case .connecting, .opened, .closed: break
    }
    return true
  }

  /// Sends the lines, and closes the socket after the last one.
  ///
  /// Before it closes, it waits until no message has arrived for some time.
  private func send(to socket: WebSocket, _ activity: Activity) async {
    let input = InputLines()
    do throws(FreshetError) {
      while let line = try await input.next() {
        activity.hasArrived = false
        // The loop that reads the socket reports its failure.
        guard (try? await socket.send(line)) != nil else { return }
      }
    } catch {
      activity.fail()
      Console.error(Printable.line("freshet: \(error)"))
    }
    // A ping overtakes messages that wait. Behind them, the server has read them when it answers it.
    if (try? await socket.drain()) != nil, (try? await socket.ping()) != nil {
      activity.hasArrived = true
    }
    var last = -1
    while last != activity.count, !Task.isCancelled {
      last = activity.count
      try? await Task.sleep(for: options.patience)
    }
    await socket.close()
  }

  /// The number of updates so far, whether the input could not be read, and whether the server has all of it.
  private final class Activity: Sendable {
    private let number = Atomic<Int>(0)
    private let failure = Atomic<Bool>(false)
    private let arrival = Atomic<Bool>(true)

    var hasArrived: Bool {
      get { arrival.load(ordering: .relaxed) }
      set { arrival.store(newValue, ordering: .relaxed) }
    }

    var count: Int { number.load(ordering: .relaxed) }
    var hasFailed: Bool { failure.load(ordering: .relaxed) }

    func fail() {
      failure.store(true, ordering: .relaxed)
    }

    func note() {
      number.add(1, ordering: .relaxed)
    }
  }
}
