// The virtual world is part of the conformance kit; tests of ours live in the same one.
@_exported import BoardroomConformance
