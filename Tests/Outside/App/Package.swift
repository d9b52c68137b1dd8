// swift-tools-version:6.2
// What an app is to Boardroom: a package outside of its own that needs nothing but `BoardroomLegacy`, which brings `BoardroomClient`. `Tests/EndToEnd/outside-packages-build`
// builds it.

import PackageDescription

let package = Package(
  name: "App",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Boardroom", path: "../../..")],
  targets: [
    .target(name: "App", dependencies: [.product(name: "BoardroomLegacy", package: "Boardroom")])
  ]
)
