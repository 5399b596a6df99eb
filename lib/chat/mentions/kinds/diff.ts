import { changesIn } from "../changes.js";
import { defineMention } from "../define.js";

export default defineMention({
  name: "diff",
  form: "alone",
  detail: "unstaged changes of the work tree",
  make: (_mention, { ctx }) =>
    changesIn(ctx, {
      name: "diff",
      args: [],
      none: "no unstaged changes of tracked files; @staged has staged changes, @file: new files",
    }),
});
