extension Manual {
  static let socket = ManualPage(
    name: "socket",
    summary: "talk with a server over a WebSocket",
    about: """
      Opens a WebSocket, sends each line of standard input as a text, and prints each message: a text \
      with a line end, a binary one as it is. The socket is closed when the input has ended and no message \
      has arrived for a second. The command ends with the socket.
      """,
    usage: ["freshet socket [OPTION]… URL"],
    options: [
      .header, .user,
      .init(
        "--protocol",
        value: .text("NAME"),
        text: "offer this protocol; may be repeated, the preferred one first"
      ),
      .init("--reconnect", text: "open another connection when one breaks"),
      .init(
        "--wait",
        value: .text("SECONDS"),
        text: "the time to wait for messages after the end of the input; 1 by default"
      ),
    ] + connections,
    statuses: [
      (0, "the socket was closed normally"),
      (1, "the socket could not be opened, or failed"),
      (2, "the arguments make no sense"),
    ],
    examples: [
      "freshet socket wss://example.org/chat",
      "echo hello | freshet socket --protocol chat.v2 wss://example.org/chat",
    ]
  )
}
