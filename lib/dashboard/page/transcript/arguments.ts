const LINE_CHARS = 120;

/** Arguments of a call in one line: the values that say most. */
export function argumentLine(json: string): string {
  const parsed = parse(json);
  const values =
    parsed === undefined
      ? [json]
      : Object.values(parsed).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const line = values.join(" · ").replaceAll(/\s+/g, " ");
  return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS - 1)}…` : line;
}

/** What a call has given in one line: the first text in it. */
export function resultLine(content: string): string {
  const parsed = parse(content);
  const text =
    parsed === undefined
      ? undefined
      : Object.values(parsed).find((value) => typeof value === "string" && value.trim() !== "");
  return argumentLine(text === undefined ? content : JSON.stringify({ text }));
}

/** Arguments of a call for reading: texts as they are, with their lines. */
export function argumentText(json: string): string {
  const parsed = parse(json);
  if (parsed === undefined) return json;
  return Object.entries(parsed)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
      return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
    })
    .join("\n");
}

function parse(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    /* ok to lose: a model may write invalid JSON; then its own text is shown */
    return undefined;
  }
}
