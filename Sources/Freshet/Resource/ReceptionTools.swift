import Foundation

/// What a stage receives with.
struct ReceptionTools: Sendable {
  /// Without a transport, the stage forwards everything: an offline chain.
  let transport: (any Transport)?
  let spool: Spool
  /// How often a broken transfer is taken up within one fetch.
  var resumptions = 3
  /// How much of an error response's body is kept, in bytes.
  var errorBodyLimit = RefusedResponse.bodyLimit
  /// The call that what is sent is a part of; one for each request by default.
  var scope: CallScope?
  /// Whether progress carries what has arrived.
  var showsArrival = false
  let now: @Sendable () -> Date
}
