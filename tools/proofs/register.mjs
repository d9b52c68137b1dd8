// For node --import: tests that ask for node:assert/strict get tools/proofs/recorder.mjs instead.
import { register } from "node:module";

register("./hooks.mjs", import.meta.url);
