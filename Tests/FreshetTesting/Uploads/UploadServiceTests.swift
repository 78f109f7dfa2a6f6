import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct UploadServiceTests {
  private let service = UploadService {
    $0.maximumAppend = 6
    $0.maximumSize = 8
    $0.sendsInterim = false
  }

  private func server() throws -> LoopbackServer {
    let answer = LoopbackServer.Answer.uploads(service).headers(["X-Trace": "1"])
    return try LoopbackServer(["/files": answer, "/files/*": answer])
  }

  private func write(_ chunk: String, _ line: String, _ fields: String, to client: RawConnection) {
    let count = String(chunk.utf8.count, radix: 16)
    client.write("\(line) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\(fields)\r\n")
    client.write("\(count)\r\n\(chunk)\r\n0\r\n\r\n")
  }

  @Test func `fields of its answer are in each response`() throws {
    let server = try server()
    let client = RawConnection(to: server.port)

    write("abc", "POST /files", "Upload-Complete: ?1\r\n", to: client)
    let created = client.readResponse()

    #expect(created.status == 201)
    #expect(created["X-Trace"] == "1")
    #expect(client.get("/files/upload-9")["X-Trace"] == "1")
  }

  @Test(arguments: [false, true])
  func `an answer to an upload can be a handler or a sequence`(isSequence: Bool) throws {
    let service = UploadService {
      $0.answer = { upload in
        let handler = LoopbackServer.Answer.handler { request in
          .text("\(request.path) \(upload.bytes.count)").headers(["X-Inner": "1"])
        }
        return isSequence ? .sequence([handler, .status(500)]) : handler
      }
    }
    let server = try LoopbackServer(["/files": .uploads(service).headers(["X-Trace": "1"])])
    let client = RawConnection(to: server.port)

    write("abc", "POST /files", "Upload-Complete: ?1\r\n", to: client)
    let response = client.readResponse()

    #expect(response.status == 200)
    #expect(response.text == "/files 3")
    #expect(response["X-Inner"] == "1")
    #expect(response["X-Trace"] == "1")
    #expect(response["Upload-Complete"] == "?1")
  }

  @Test func `tells a client of tus what it supports without a version in the request`() throws {
    let server = try server()
    let client = RawConnection(to: server.port)

    client.write("OPTIONS /files HTTP/1.1\r\nHost: x\r\n\r\n")
    let response = client.readResponse()

    #expect(response.status == 204)
    #expect(response["Tus-Version"] == "1.0.0")
    #expect(response["Tus-Extension"] == "creation,termination")
    #expect(response["Tus-Max-Size"] == "8")
    #expect(response["Accept-Patch"] == "application/partial-upload")
  }

  @Test func `an upload refuses other methods, and says which it takes`() throws {
    let server = try server()
    let client = RawConnection(to: server.port)
    write("abc", "POST /files", "Upload-Complete: ?1\r\n", to: client)
    #expect(client.readResponse().status == 201)

    let response = client.get("/files/upload-1")

    #expect(response.status == 405)
    #expect(response["Allow"] == "HEAD, PATCH, DELETE")
  }

  @Test func `content without a length is refused as soon as it is too large`() throws {
    let server = try server()
    let client = RawConnection(to: server.port)

    write("0123456", "POST /files", "Upload-Complete: ?1\r\n", to: client)

    #expect(client.readResponse().status == 413)
    #expect(service.uploads.map(\.bytes) == [Data()])
    #expect(service.uploads.map(\.isComplete) == [false])
  }

  @Test func `an upload without a length is refused as soon as it is too large`() throws {
    let server = try server()
    let client = RawConnection(to: server.port)
    write("01234", "POST /files", "Upload-Complete: ?0\r\n", to: client)
    #expect(client.readResponse().status == 201)

    let type = "Content-Type: application/partial-upload\r\n"
    let fields = "\(type)Upload-Offset: 5\r\nUpload-Complete: ?1\r\n"
    write("5678", "PATCH /files/upload-1", fields, to: client)

    #expect(client.readResponse().status == 413)
    #expect(service.uploads.map(\.bytes) == [Data("01234".utf8)])
  }

  @Test func `by tus, an upload has no more bytes than it was announced with`() throws {
    let server = try server()
    let client = RawConnection(to: server.port)
    let fields = "Tus-Resumable: 1.0.0\r\n"
    let length = "Upload-Length: 2\r\nContent-Length: 0\r\n"
    client.write("POST /files HTTP/1.1\r\nHost: x\r\n\(fields)\(length)\r\n")
    #expect(client.readResponse().status == 201)

    let type = "Content-Type: application/offset+octet-stream\r\n"
    write("012", "PATCH /files/upload-1", fields + type + "Upload-Offset: 0\r\n", to: client)

    #expect(client.readResponse().status == 413)
    #expect(service.uploads.map(\.bytes) == [Data()])
  }

  @Test(arguments: [LoopbackServer.Upload.counted, .unread])
  func `a service takes its content, however a route takes others`(
    upload: LoopbackServer.Upload
  ) throws {
    let server = try LoopbackServer(["/files": .uploads(service).upload(upload)])
    let client = RawConnection(to: server.port)

    write("abc", "POST /files", "Upload-Complete: ?1\r\n", to: client)

    #expect(client.readResponse().status == 201)
    #expect(service.uploads.map(\.bytes) == [Data("abc".utf8)])
  }

  @Test func `tells the address in an interim response of the version that is asked for`() throws {
    let service = UploadService()
    let server = try LoopbackServer(["/files": .uploads(service)])
    for (field, isTold) in [("", false), ("7", false), ("8", true)] {
      let client = RawConnection(to: server.port)
      let version = field.isEmpty ? "" : "Upload-Draft-Interop-Version: \(field)\r\n"
      write("abc", "POST /files", version + "Upload-Complete: ?1\r\n", to: client)

      let first = client.readResponse()

      #expect(first.status == (isTold ? 104 : 201))
      #expect((first["Upload-Draft-Interop-Version"] == "8") == isTold)
    }
  }

  @Test func `a cut behind the content closes instead of the response`() throws {
    service.inject([.cut(after: 100)])
    let server = try server()
    let client = RawConnection(to: server.port)

    write("abc", "POST /files", "Upload-Complete: ?1\r\n", to: client)

    #expect(client.readToEnd().isEmpty)
    #expect(client.endReason == 0)
    #expect(service.uploads.map(\.bytes) == [Data("abc".utf8)])
  }
}
