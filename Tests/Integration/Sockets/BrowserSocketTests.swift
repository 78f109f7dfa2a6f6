import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// WebSockets between a browser and the server of FreshetTesting.
@Suite(.timeLimit(.minutes(5))) struct BrowserSocketTests {
  private static let browser = ["chromium", "chromium-browser", "google-chrome"].lazy
    .compactMap { Program.path($0) }.first

  @Test(.enabled(if: browser != nil, "chromium is not installed"))
  func `a browser talks with the server of FreshetTesting`() async throws {
    let (talks, talk) = AsyncStream.makeStream(of: Talk.self)
    let server = try LoopbackServer([
      "/": .response(200, headers: [.contentType: "text/html"], body: Data(Self.page.utf8)),
      "/log": .status(204),
      "/socket": .socket(protocols: ["two"], compresses: true) { peer in
        var sizes: [Int] = []
        try await peer.send("welcome")
        for try await message in peer {
          sizes.append(message.data.count)
          try await peer.send(message)
        }
        talk.yield(Talk(sizes: sizes, closure: peer.closure))
      },
    ])
    let folder = try TemporaryDirectory()
    let browser = try ChildProcess(
      try #require(Self.browser),
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-extensions", "--disable-background-networking", "--remote-debugging-port=0",
        "--user-data-dir=\(folder.url.path)", server.url("/").absoluteString,
      ],
      standards: Standards(error: .file(folder.file("error")))
    )
    // A browser that does not start says so, instead of being waited for.
    let ended = Task {
      _ = await browser.end()
      talk.finish()
    }
    let heard = await talks.first { _ in true }
    var log: String?
    if heard != nil {
      log = await server.received(path: "/log").first
        .map { String(decoding: $0.body, as: UTF8.self) }
    }
    browser.signal(SIGTERM)
    await ended.value

    #expect(heard == Talk(sizes: [6, 3, 200_000], closure: .init(code: 4003, reason: "bye")))
    #expect(
      log == "open two permessage-deflate;welcome;héllo;3 bytes 255;200000;closed 4003 bye true;"
    )
  }

  /// What the server has received of one connection.
  private struct Talk: Equatable, Sendable {
    let sizes: [Int]
    let closure: WebSocket.Close?
  }

  private static let page = """
    <!doctype html><meta charset="utf-8"><body><script>
    let text = "";
    const log = line => text += line + ";";
    const socket = new WebSocket("ws://" + location.host + "/socket", ["one", "two"]);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => log("open " + socket.protocol + " " + socket.extensions.split(";")[0]);
    let count = 0;
    socket.onmessage = event => {
      const data = event.data;
      if (count++ == 3) { log(data.length); return socket.close(4003, "bye"); }
      log(typeof data == "string" ? data : data.byteLength + " bytes " + new Uint8Array(data)[2]);
      if (count == 1) socket.send("h\\u00e9llo");
      if (count == 2) socket.send(new Uint8Array([1, 2, 255]));
      if (count == 3) socket.send("x".repeat(200000));
    };
    socket.onclose = event => {
      log("closed " + event.code + " " + event.reason + " " + event.wasClean);
      fetch("/log", { method: "POST", body: text });
    };
    </script></body>
    """
}
