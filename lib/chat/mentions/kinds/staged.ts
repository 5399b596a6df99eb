import { changesIn } from "../changes.js";
import { defineMention } from "../define.js";

export default defineMention({
  name: "staged",
  form: "alone",
  detail: "staged changes",
  make: (_mention, { ctx }) =>
    changesIn(ctx, { name: "staged", args: ["--cached"], none: "no staged changes; @diff has unstaged ones" }),
});
