// The one place that decides which parts of Foundation the package uses. On Linux those that need ICU
// are left out, which take most of the start and the memory of a small program.
#if canImport(Darwin)
@_exported public import Foundation

/// The format of an encoded property list.
public typealias PropertyListFormat = PropertyListSerialization.PropertyListFormat
#else
@_exported public import FoundationEssentials
@_exported public import Glibc

/// The format of an encoded property list.
public typealias PropertyListFormat = PropertyListDecoder.PropertyListFormat
#endif
