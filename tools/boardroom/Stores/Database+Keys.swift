import BoardroomAccess

extension Database {
  /// The keys of one of several nodes, which accept what each other signs (NODE-13). The first node of a database makes them; others
  /// must be given them: with keys of its own a node would refuse the others' tokens, and be refused by them as forged.
  func nodeKeys(inFolder folder: String) throws -> KeyRing {
    let path = folder + "/" + KeyFile.name
    let found = try KeyFile.read(path)
    guard try found != nil || !hasKeys() else {
      throw Failure(
        .noInput, "There is no \(path), and nodes of this database have keys.",
        "Copy the file \(KeyFile.name) of another node to it.", at: path, code: "keysMissing")
    }
    let keys = try found ?? KeyFile.open(inFolder: folder)
    guard try note(keys) else {
      throw Failure(
        .badInput, "The keys in \(path) are others than those of the node that was started last.",
        "Copy the file of that node. To change keys, let all nodes accept the new pair first: docs/CLUSTER.md says how.",
        at: path, code: "keysDiffer")
    }
    return keys
  }
}
