import { changesIn } from "../changes.js";
import { defineMention } from "../define.js";

export default defineMention({
  name: "diff",
  form: "alone",
  detail: "what is changed in the work tree and not staged",
  make: (_mention, { ctx }) =>
    changesIn(ctx, {
      name: "diff",
      args: [],
      none: "nothing that git knows is changed; @staged has what is staged, new files are @file:",
    }),
});
