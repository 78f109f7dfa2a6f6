import Foundation
import Freshet

/// Asks for a password on the terminal, which does not show it.
enum Password {
  /// - Returns: The password, or `nil` if there is no terminal.
  static func ask(for user: String) -> String? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var usual = termios()
    guard tcgetattr(terminal, &usual) == 0 else { return nil }
    var hidden = usual
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(terminal, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(terminal, TCSAFLUSH, &usual)
      _ = Descriptor.write(Data("\n".utf8), to: terminal)
    }
    let question = "The password of \(Printable.line(user)): "
    _ = Descriptor.write(Data(question.utf8), to: terminal)
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(terminal, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }
}
