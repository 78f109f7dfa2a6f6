import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TCP connection whose bytes are seen as they are; its reads give up after ten seconds.
final class RawClient {
  struct Response {
    var statusLine = ""
    var fields: [(name: String, value: String)] = []
    var body = Data()

    var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  private let descriptor: Int32
  private var buffer = Data()
  /// The `errno` of the read that ended the connection, 0 for its regular end.
  private(set) var endReason: Int32?

  init(port: UInt16, receiveBufferBytes: Int32? = nil) {
    #if canImport(Darwin)
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_RCVTIMEO,
      &timeout,
      socklen_t(MemoryLayout<timeval>.size)
    )
    if var receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBufferBytes, 4)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    self.descriptor = descriptor
    isConnected = result == 0
  }

  let isConnected: Bool

  deinit {
    close(descriptor)
  }

  func send(_ text: String) {
    send(Data(text.utf8))
  }

  /// Whether all bytes could be sent.
  @discardableResult
  func send(_ data: Data) -> Bool {
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        #if canImport(Darwin)
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
      }
      guard count > 0 else { return false }
      rest = Data(rest.dropFirst(count))
    }
    return true
  }

  /// Says that no more will be sent.
  func finishSending() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Whether more bytes came.
  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else {
      endReason = count == 0 ? 0 : errno
      return false
    }
    buffer.append(contentsOf: chunk[..<count])
    return true
  }

  /// Exactly so many bytes, or fewer if the connection ends.
  func read(_ count: Int) -> Data {
    while buffer.count < count, fill() {}
    defer { buffer = Data(buffer.dropFirst(count)) }
    return Data(buffer.prefix(count))
  }

  /// Everything until the connection ends.
  func readToEnd() -> Data {
    while fill() {}
    defer { buffer = Data() }
    return buffer
  }

  func readHead() -> Response {
    let mark = Data("\r\n\r\n".utf8)
    while buffer.range(of: mark) == nil, fill() {}
    guard let end = buffer.range(of: mark) else { return Response() }
    let text = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
    buffer = Data(buffer[end.upperBound...])
    var lines = text.components(separatedBy: "\r\n")
    var response = Response(statusLine: lines.removeFirst())
    response.fields = lines.map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
    }
    return response
  }

  /// A head, and the body that its `Content-Length` announces.
  func readResponse() -> Response {
    var response = readHead()
    if response.status >= 200, response.status != 304, let length = response["Content-Length"] {
      response.body = read(Int(length) ?? 0)
    }
    return response
  }

  func get(_ path: String, _ fields: String...) -> Response {
    let lines = (["GET \(path) HTTP/1.1", "Host: localhost"] + fields).map { $0 + "\r\n" }
    send(lines.joined() + "\r\n")
    return readResponse()
  }
}
