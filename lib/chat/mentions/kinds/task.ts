import { toAppError } from "../../../base/errors.js";
import { plainText } from "../../../safety/text.js";
import { defineMention } from "../define.js";
import { fenced } from "../fenced.js";

export default defineMention({
  name: "task",
  form: "word",
  detail: "a task of the board, by its id",
  make: async ({ forms }, { lookups }) => {
    const [given, ...others] = forms.map(({ name }) => name);
    if (given === undefined) return { why: "it names no task, as @task:ID does; agent kanban list shows them" };
    const look = lookups?.task;
    if (look === undefined) return { why: "the board cannot be looked at here" };
    const { id, status, text } = await look(given).catch((error: unknown) => {
      const [short] = others;
      if (short === undefined || toAppError(error).code !== "E_NOT_FOUND") throw error;
      return look(short);
    });
    return { text: fenced(`@task ${id}: ${status}`, plainText(text)) };
  },
  offers: async ({ tasks }) =>
    (await tasks()).map(({ id, title, status }) => {
      const label = `${id} ${title}`;
      return { name: id, label, detail: status, kind: "task", match: label };
    }),
});
