// swift-format-ignore-file
// The interface of Darwin beyond POSIX that the sources use, without a body: for the type checker on Linux.
@_exported import Glibc

public let F_FULLFSYNC: Int32 = 51
public let MNT_LOCAL: Int32 = 0x1000

extension stat {
  public var st_atimespec: timespec { st_atim }
  public var st_mtimespec: timespec { st_mtim }
  public var st_ctimespec: timespec { st_ctim }
}

public func sysctlbyname(
  _ name: UnsafePointer<CChar>!,
  _ old: UnsafeMutableRawPointer!,
  _ oldCount: UnsafeMutablePointer<Int>!,
  _ new: UnsafeMutableRawPointer!,
  _ newCount: Int
) -> Int32 { 0 }

public func pthread_create(
  _ thread: UnsafeMutablePointer<pthread_t?>!,
  _ attributes: UnsafePointer<pthread_attr_t>?,
  _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 { 0 }

public struct statfs {
  public var f_flags: UInt32 = 0
  public var f_bsize: UInt32 = 0
  public var f_blocks: UInt64 = 0
  public var f_bavail: UInt64 = 0
  public init() {}
}

public func fstatfs(_ descriptor: Int32, _ status: UnsafeMutablePointer<statfs>!) -> Int32 { 0 }

public let SO_NOSIGPIPE: Int32 = 0x1022
public let F_SETNOSIGPIPE: Int32 = 73
public let SOCK_STREAM: Int32 = 1

@discardableResult
public func pthread_setname_np(_ name: UnsafePointer<CChar>!) -> Int32 { 0 }
