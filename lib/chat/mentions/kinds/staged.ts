import { changesIn } from "../changes.js";
import { defineMention } from "../define.js";

export default defineMention({
  name: "staged",
  form: "alone",
  detail: "what is staged for the next commit",
  make: (_mention, { ctx }) =>
    changesIn(ctx, { name: "staged", args: ["--cached"], none: "nothing is staged; @diff has what is not" }),
});
