//: # Explaining a result
//: A pipeline says what it will do, and a value says what was done.
import Foundation
import Freshet
import FreshetTesting

func show(_ origin: LoopbackServer) async throws {
  let client = Client { $0.policy.expiry = .after(.seconds(60)) }
  let logo = client.resource(at: origin.url("/logo.png"))

  //: Before: the chain, one stage a line, as it could be written by hand.
  print(logo)

  //: After: the decisions in their order, one a line, with times.
  print("first:")
  print(try await logo.value.explanation)
  print("second:")
  print(try await logo.value.explanation)

  //: It is a collection of values, so that a test can say what must have happened.
  let explanation = try await logo.value.explanation
  print("from memory:", explanation.contains(.hit(.memory)))
  print("downloaded again:", explanation.contains(.missed(.memory)))

  //: An error response tells the same way what was tried before it; other errors have no explanation.
  do {
    _ = try await client.resource(at: origin.url("/nothing")).value
  } catch {
    print("error:", error.kind)
    if let explanation = error.explanation { print(explanation) }
  }
}

do {
  let origin = try LoopbackServer([
    "/logo.png": .content(Data(repeating: 7, count: 3000), type: "image/png")
  ])
  try await show(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
