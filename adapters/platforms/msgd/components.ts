/** Buttons in a row and rows under a message, as the platform has them. */
const ROWS = 5;
const PER_ROW = 5;
const LABEL_CHARS = 80;

/** Rows of `Button` under `buttons`; none at all takes those away that are there. */
export function componentsOf(extra: Readonly<Record<string, unknown>> | undefined): {
  readonly components?: readonly unknown[];
} {
  const rows = extra?.["buttons"];
  if (!Array.isArray(rows)) return {};
  const buttons = rows.map((row: unknown) => (Array.isArray(row) ? row.map(buttonOf) : []));
  const fitting = buttons
    .flatMap((row) => (row.length <= PER_ROW ? [row] : inParts(row)))
    .filter((row) => row.length > 0);
  return { components: fitting.slice(0, ROWS).map((components) => ({ type: 1, components })) };
}

function inParts<T>(row: readonly T[]): readonly (readonly T[])[] {
  return row.length === 0 ? [] : [row.slice(0, PER_ROW), ...inParts(row.slice(PER_ROW))];
}

function buttonOf(one: unknown): unknown {
  const { text = "", data = "" } =
    typeof one === "object" && one !== null ? (one as { text?: unknown; data?: unknown }) : {}; // its fields stay unknown
  return { type: 2, style: 2, label: String(text).slice(0, LABEL_CHARS), custom_id: String(data) };
}
