/** Characters of what was typed before that are looked at together with what comes. */
const KEPT = 4_000;

const ENDS_LINE: ReadonlySet<string> = new Set(["enter", "return"]);

/** What a conversation has typed since a key ended the line: a text that is never typed is none either when it comes in pieces. */
export interface TypedLine {
  /** The line with what an action adds to it; undefined: it types nothing. */
  with(action: { readonly text?: string | undefined; readonly keys?: string | undefined }): string | undefined;
  /** The action goes on its way. */
  add(action: { readonly text?: string | undefined; readonly keys?: string | undefined }): void;
  close(): Promise<void>;
}

export function createTypedLine(release: () => Promise<void>): TypedLine {
  let line = "";
  return {
    with: (action) => {
      const added = addedBy(action);
      return added === undefined ? undefined : line + added;
    },
    add: (action) => {
      if (action.keys !== undefined && ENDS_LINE.has(nameOf(action.keys)))
        line = line.endsWith("\\") ? line.slice(0, -1) : "";
      else line = (line + (addedBy(action) ?? "")).slice(-KEPT);
    },
    close: release,
  };
}

const nameOf = (keys: string): string =>
  keys
    .trim()
    .toLowerCase()
    .replace(/^kp[-_ ]/, "");

/** Characters that a text or a single key writes. */
function addedBy({ text, keys }: Parameters<TypedLine["with"]>[0]): string | undefined {
  if (text !== undefined) return text;
  if (keys === undefined) return undefined;
  const key = keys.trim();
  if (nameOf(key) === "space") return " ";
  return [...key].length === 1 ? key : undefined;
}
