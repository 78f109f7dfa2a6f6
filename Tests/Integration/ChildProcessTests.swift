#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@Suite struct ChildProcessTests {
  @Test func `a child process does not inherit connections`() throws {
    let pipe = Pipe()
    let high = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_DUPFD, 900)
    try pipe.fileHandleForWriting.close()
    let program = try ChildProcess("/bin/sleep", ["60"])

    close(high)
    var end = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: 0, revents: 0)
    poll(&end, 1, 10_000)

    #expect(end.revents & Int16(POLLHUP) != 0)
    program.signal(SIGKILL)
  }
}
#endif
