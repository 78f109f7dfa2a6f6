import Foundation
import Freshet

/// Asks for a password on the terminal, which does not show it.
enum Password {
  /// Ctrl-C ends the process after the terminal shows again what is typed.
  ///
  /// - Returns: The password, or `nil` if there is no terminal or its input ends before the line does.
  static func ask(for user: String) -> String? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var usual = termios()
    guard tcgetattr(terminal, &usual) == 0 else { return nil }
    var hidden = usual
    // Ctrl-C ends the line instead of the process, which would leave the terminal silent.
    hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
    let interrupt = withUnsafeBytes(of: usual.c_cc) { $0[Int(VINTR)] }
    withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VEOL)] = interrupt }
    tcsetattr(terminal, TCSAFLUSH, &hidden)
    var isInterrupted = false
    defer {
      tcsetattr(terminal, TCSAFLUSH, &usual)
      _ = Descriptor.write(Data("\n".utf8), to: terminal)
      if isInterrupted { kill(getpid(), SIGINT) }
    }
    let question = "The password of \(Printable.line(user)): "
    _ = Descriptor.write(Data(question.utf8), to: terminal)
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(terminal, &byte, 1) == 1 {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      if byte == interrupt {
        isInterrupted = true
        return nil
      }
      line.append(byte)
    }
    return nil
  }
}
