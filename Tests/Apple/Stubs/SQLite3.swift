// swift-format-ignore-file
// The module of SQLite on Apple platforms is the same C interface.
@_exported import CSQLite
