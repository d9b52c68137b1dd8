// swift-tools-version:6.2
// What tests of an app are to Boardroom: a package outside of its own that needs nothing but `BoardroomConformance`.
// `Tests/EndToEnd/outside-packages-build` builds it, and reads which modules that took.

import PackageDescription

let package = Package(
  name: "AppTests",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Boardroom", path: "../../..")],
  targets: [
    .executableTarget(
      name: "AppTests", dependencies: [.product(name: "BoardroomConformance", package: "Boardroom")])
  ]
)
