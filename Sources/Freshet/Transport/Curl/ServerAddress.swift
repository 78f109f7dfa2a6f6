#if !canImport(Darwin)
import Glibc

/// The address that a connection is made to, after its host's name was resolved.
///
/// See ``CurlTransport/Configuration/allowsAddress``.
public struct ServerAddress: Sendable, Hashable {
  /// The address in network order: 4 bytes of IPv4, or 16 of IPv6.
  public let bytes: [UInt8]
  /// The port.
  public let port: Int

  /// Creates an address from its text.
  ///
  /// - Parameters:
  ///   - text: An IPv4 address with four decimal numbers, or an IPv6 address without brackets and zone.
  ///   - port: The port.
  public init?(_ text: String, port: Int) {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self.bytes = Array(bytes[..<4])
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      self.bytes = bytes
    } else {
      return nil
    }
    self.port = port
  }

  /// Reads the address that is behind a pointer; `nil` for one of another family than IPv4 and IPv6.
  init?(_ pointer: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(pointer)
    switch Int32(pointer.pointee.sa_family) {
    case AF_INET:
      let address = raw.loadUnaligned(as: sockaddr_in.self)
      bytes = withUnsafeBytes(of: address.sin_addr) { Array($0) }
      port = Int(UInt16(bigEndian: address.sin_port))
    case AF_INET6:
      let address = raw.loadUnaligned(as: sockaddr_in6.self)
      bytes = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
      port = Int(UInt16(bigEndian: address.sin6_port))
    default: return nil
    }
  }
}

extension ServerAddress {
  /// A Boolean value that indicates whether the address belongs to the public internet.
  ///
  /// It is `false` for all addresses that IANA's registries of special-purpose addresses (RFC 6890) reserve,
  /// also for the few of them that are reachable: private, link-local, loopback and shared ones, those of
  /// documentation and tests, multicast, and transitions to IPv6 by 6to4 and Teredo. An IPv6 address that
  /// stands for one of IPv4 (IPv4-mapped, or NAT64 under `64:ff9b::/96`) is as public as that.
  public var isPublic: Bool {
    if bytes.count == 4 { return !Self.reservedIPv4.contains { $0.contains(bytes) } }
    if Self.ofIPv4.contains(where: { $0.contains(bytes) }) {
      return !Self.reservedIPv4.contains { $0.contains(bytes[12...]) }
    }
    return Self.globalUnicast.contains(bytes) && !Self.reservedIPv6.contains { $0.contains(bytes) }
  }

  private struct Prefix {
    let bytes: [UInt8]
    let bitCount: Int

    init(_ bytes: [UInt8], _ bitCount: Int) {
      self.bytes = bytes
      self.bitCount = bitCount
    }

    func contains(_ address: some Sequence<UInt8>) -> Bool {
      var bitsLeft = bitCount
      for (own, other) in zip(bytes, address) where bitsLeft > 0 {
        let mask: UInt8 = bitsLeft >= 8 ? 0xFF : ~(0xFF >> UInt8(bitsLeft))
        guard own & mask == other & mask else { return false }
        bitsLeft -= 8
      }
      return true
    }
  }

  private static let reservedIPv4 = [
    Prefix([0], 8), Prefix([10], 8), Prefix([100, 64], 10), Prefix([127], 8),
    Prefix([169, 254], 16), Prefix([172, 16], 12), Prefix([192, 0, 0], 24),
    Prefix([192, 0, 2], 24), Prefix([192, 31, 196], 24), Prefix([192, 52, 193], 24),
    Prefix([192, 88, 99], 24), Prefix([192, 168], 16), Prefix([192, 175, 48], 24),
    Prefix([198, 18], 15), Prefix([198, 51, 100], 24), Prefix([203, 0, 113], 24),
    Prefix([224], 4), Prefix([240], 4),
  ]

  /// The prefixes of IPv6 addresses that end with one of IPv4.
  private static let ofIPv4 = [
    Prefix([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96),
    Prefix([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96),
  ]

  private static let globalUnicast = Prefix([0x20], 3)

  /// The prefixes within ``globalUnicast``.
  private static let reservedIPv6 = [
    Prefix([0x20, 0x01, 0], 23), Prefix([0x20, 0x01, 0x0D, 0xB8], 32), Prefix([0x20, 0x02], 16),
    Prefix([0x26, 0x20, 0, 0x4F, 0x80, 0], 48), Prefix([0x3F, 0xFF, 0], 20),
  ]
}

extension ServerAddress: CustomStringConvertible {
  /// The address without the port.
  public var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      let family = bytes.count == 4 ? AF_INET : AF_INET6
      guard let start = text.baseAddress,
        inet_ntop(family, bytes, start, socklen_t(text.count)) != nil
      else { return "" }
      return String(cString: start)
    }
  }
}
#endif
