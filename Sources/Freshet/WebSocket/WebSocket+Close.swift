import FreshetEssentials

extension WebSocket {
  /// The end of a conversation: a code, and a few words for people.
  public struct Close: Sendable, Hashable {
    /// The code.
    public var code: CloseCode
    /// The reason; often empty.
    public var reason: String

    /// Makes an end.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - reason: The reason; at most 123 bytes of it are sent.
    public init(code: CloseCode, reason: String = "") {
      self.code = code
      self.reason = reason
    }

    /// The payload of the frame; a code that is not sent has none.
    var payload: Data {
      guard code.isSendable else { return Data() }
      var text = reason
      while text.utf8.count > 123 { text.removeLast() }
      return Data([UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]) + Data(text.utf8)
    }
  }

  /// The reason for the end of a WebSocket as a number (RFC 6455 section 7.4).
  public struct CloseCode: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// The number.
    public let rawValue: UInt16

    /// Makes a code from its number.
    public init(rawValue: UInt16) {
      self.rawValue = rawValue
    }

    /// Makes a code from its number.
    public init(_ rawValue: UInt16) {
      self.rawValue = rawValue
    }

    /// Makes a code from its number.
    public init(integerLiteral value: UInt16) {
      rawValue = value
    }

    /// The conversation is complete.
    public static let normal: Self = 1000
    /// The server shuts down, or the user has left.
    public static let goingAway: Self = 1001
    /// The other side has broken the protocol.
    public static let protocolError: Self = 1002
    /// The other side has sent a kind of message that is not accepted.
    public static let unsupportedData: Self = 1003
    /// The other side has closed without a code; never sent.
    public static let noStatus: Self = 1005
    /// The connection was lost without a close; never sent.
    public static let abnormal: Self = 1006
    /// A message has the wrong content, such as a text that is not UTF-8.
    public static let invalidPayload: Self = 1007
    /// A message breaks a rule of the application.
    public static let policyViolation: Self = 1008
    /// A message is too long.
    public static let messageTooBig: Self = 1009
    /// The server does not use an extension that the client needs.
    public static let missingExtension: Self = 1010
    /// The server has failed.
    public static let internalError: Self = 1011
    /// The server restarts.
    public static let serviceRestart: Self = 1012
    /// The server is overloaded.
    public static let tryAgainLater: Self = 1013

    /// A Boolean value that indicates whether the code may be in a frame (RFC 6455 section 7.4.2).
    var isSendable: Bool {
      switch rawValue {
      case 1000...1003, 1007...1014, 3000...4999: true
      default: false
      }
    }

    /// A Boolean value that indicates whether the conversation has ended as it should.
    package var isNormal: Bool { self == .normal || self == .goingAway || self == .noStatus }

    /// A Boolean value that indicates whether another connection may continue the conversation.
    package var isTransient: Bool {
      [.goingAway, .internalError, .serviceRestart, .tryAgainLater, 1014].contains(self)
    }
  }
}

extension WebSocket.Close: CustomStringConvertible {
  /// The code and the reason, on one line.
  public var description: String {
    Printable.line(reason.isEmpty ? "\(code.rawValue)" : "\(code.rawValue) \(reason)")
  }
}
