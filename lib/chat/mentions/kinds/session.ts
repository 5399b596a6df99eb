import { plainText } from "../../../safety/redact/text.js";
import { byName } from "../by-name.js";
import { defineMention, type MentionedSession } from "../define.js";
import { counted, inLabel, renderFencedBlock } from "../fenced.js";

export default defineMention({
  name: "session",
  form: "word",
  detail: "another conversation, by its id",
  make: async ({ forms }, { lookups }) => {
    if (lookups === undefined) return { why: "other conversations are not available here" };
    const found = await byName(forms, lookups.session);
    return found === undefined
      ? { why: "missing conversation id, as in @session:ID; agent sessions list lists them" }
      : { text: blockOf(found) };
  },
  offers: async ({ sessions }) =>
    (await sessions()).map(({ id, title, preview }) => {
      const label = title ?? preview;
      return { name: id, label, detail: id, kind: "session", match: `${label} ${id}` };
    }),
});

function blockOf({ id, title, count, messages }: MentionedSession): string {
  const shown = messages.map((one) => `#${one.id} ${one.role}:\n${plainText(one.content)}`);
  const all =
    count === messages.length
      ? counted(count, "message")
      : `${messages.length} of ${counted(count, "message")}, the first and last`;
  return renderFencedBlock(`@session ${id}${title === null ? "" : ` ${inLabel(title)}`}: ${all}`, shown.join("\n\n"));
}
