public import Freshet
import FreshetEssentials

/// A store of models and its name on the page.
struct InspectedModelStore: Sendable {
  let name: String
  let store: any InspectedModels

  /// Adds the figures of the types in the store.
  func json() async -> [UInt8] {
    var figures: [ModelFigures] = []
    var failure: FreshetError?
    do throws(FreshetError) {
      figures = try await store.figures()
    } catch {
      failure = error
    }
    return JSONText.object { text in
      text.add("name", name)
      text.add("error", failure.map { Printable.line($0.description) })
      text.array("types") { text in
        for type in figures {
          text.object { text in
            text.add("name", Printable.line(type.name))
            text.add("count", type.count)
            text.add("bytes", type.bytes)
            text.object("refreshes") { text in text.add(type.refreshes) }
            text.object("pending") { text in text.add(type.pending) }
          }
        }
      }
    }
  }
}

extension JSONText {
  fileprivate mutating func add(_ span: ModelFigures.Span) {
    add("count", span.count)
    add("first", span.first.map { $0.timeIntervalSince1970 * 1_000 })
    add("last", span.last.map { $0.timeIntervalSince1970 * 1_000 })
  }
}

extension Inspector {
  /// Shows a store of models on the page *Stores*: the number of models of each type, their size, when the network
  /// answered their live queries, and the changes that are pending.
  ///
  /// The store in `Client.Configuration.models` is shown without it. Of other stores than `ModelStore` nothing is known.
  ///
  /// - Parameters:
  ///   - models: The store; the inspector keeps it until it is stopped.
  ///   - name: The name on the page.
  public func add(_ models: any ModelSaving, name: String) {
    guard let store = models as? any InspectedModels else { return }
    add(InspectedModelStore(name: Printable.line(name), store: store))
  }

  /// The stores of models, each once.
  var modelStores: [InspectedModelStore] {
    var stores = addedModelStores
    for client in clients {
      guard let store = client.client.configuration.models as? any InspectedModels,
        !stores.contains(where: { $0.store === store })
      else { continue }
      stores.append(InspectedModelStore(name: "models of \(client.name)", store: store))
    }
    return stores
  }
}
