import { commitsIn, MOST_COMMITS } from "../commits.js";
import { defineMention } from "../define.js";

export default defineMention({
  name: "git",
  form: "word",
  detail: "the last commits with their changes: @git:3",
  make: async ({ forms }, { ctx }) => {
    const count = forms.map(({ name }) => name).find((name) => /^\d{1,9}$/.test(name));
    const wanted = Number(count ?? 0);
    if (wanted < 1 || wanted > MOST_COMMITS)
      return { why: `it requires a number of commits from 1 to ${MOST_COMMITS}, as in @git:3` };
    return commitsIn(ctx, wanted);
  },
  offers: async () =>
    [1, 3, 5, 10].map((count) => {
      const name = String(count);
      const detail = count === 1 ? "the last commit" : `the last ${count} commits`;
      return { name, label: `@git:${name}`, detail, kind: "mention", match: name };
    }),
});
