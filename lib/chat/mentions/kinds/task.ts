import { plainText } from "../../../safety/redact/text.js";
import { byName } from "../by-name.js";
import { defineMention } from "../define.js";
import { renderFencedBlock } from "../fenced.js";

export default defineMention({
  name: "task",
  form: "word",
  detail: "a task of the board, by its id",
  make: async ({ forms }, { lookups }) => {
    if (lookups?.task === undefined) return { why: "the board is not available here" };
    const found = await byName(forms, lookups.task);
    return found === undefined
      ? { why: "missing task id, as in @task:ID; agent kanban list lists them" }
      : { text: renderFencedBlock(`@task ${found.id}: ${found.status}`, plainText(found.text)) };
  },
  offers: async ({ tasks }) =>
    (await tasks()).map(({ id, title, status }) => {
      const label = `${id} ${title}`;
      return { name: id, label, detail: status, kind: "task", match: label };
    }),
});
