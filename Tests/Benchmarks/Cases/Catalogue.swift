/// All cases, in the order in which they run.
enum Catalogue {
  static let cases: [Benchmark] =
    requests + loops + batches + bodies + memory + disk + largeStores + operators + services
    + models + images + inspection + sharedStore

  #if !Redis || canImport(Darwin)
  private static let sharedStore: [Benchmark] = []
  #endif

  #if canImport(Darwin)
  private static let loops: [Benchmark] = []
  #endif
}
