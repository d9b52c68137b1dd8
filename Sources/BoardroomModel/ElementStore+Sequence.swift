extension ElementStore: Sequence {
  /// Goes through the elements on the board, in order of creation; what was erased is left out.
  public struct Iterator: IteratorProtocol {
    private let store: ElementStore
    private var ordinal = 0

    init(_ store: ElementStore) { self.store = store }

    public mutating func next() -> Element? {
      while ordinal < store.placeCount {
        let place = ordinal
        guard !store.chunk(place / ElementStore.chunkSize).isEmpty else {
          ordinal = (place / ElementStore.chunkSize + 1) * ElementStore.chunkSize
          continue
        }
        ordinal += 1
        if let element = store.placed(at: place), !store.isBuried(ordinal: place) { return element }
      }
      return nil
    }
  }

  public func makeIterator() -> Iterator { Iterator(self) }
}
