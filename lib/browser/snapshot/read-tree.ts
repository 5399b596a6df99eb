import { isRecord } from "../../base/json/record.js";
import type { Refs } from "./refs.js";
import { type Box, cleanText, isInteractiveRole, type Row } from "./row.js";

/** What the tree of a page is read with. */
export interface TreeReading {
  readonly refs: Refs;
  /** Number of the page within the session. */
  readonly page: number;
  /** Values of password fields, which are never shown. */
  readonly secrets: ReadonlySet<string>;
  /** Places of elements that can be edited though their role does not say so, relative to their frame. */
  readonly editable: readonly Box[];
}

/** Rows of a page. Above it the rest is left out, and counted. */
const MOST_ROWS = 60_000;
/** A shorter secret is masked only where it is a whole value. */
const SECRET_PART = 4;
const MASK = "••••••";
const OPTIONS_SHOWN = 12;

interface Waiting {
  readonly node: unknown;
  readonly depth: number;
  readonly parent: number;
  /** Of its frame, within the page. */
  readonly left: number;
  readonly top: number;
}

/** The rows of a tree as the driver gives it, in document order. Anything but a tree is empty. */
export function readTree(
  tree: unknown,
  reading: TreeReading,
): { readonly rows: readonly Row[]; readonly left: number } {
  const rows: Row[] = [];
  const open: Waiting[] = childrenOf(tree, { depth: 0, parent: -1, left: 0, top: 0 });
  let left = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (rows.length >= MOST_ROWS) {
      left += 1;
      continue;
    }
    if (typeof next.node === "string") {
      const text = masked(cleanText(next.node), reading.secrets);
      if (text !== "")
        rows.push({
          role: "text",
          name: "",
          text,
          states: [],
          depth: next.depth,
          parent: next.parent,
          interactive: false,
        });
      continue;
    }
    if (!isRecord(next.node)) continue;
    const index = rows.length;
    const row = readNode(next.node, next, reading);
    rows.push(row);
    if (chooses(next.node)) continue;
    const box = row.role === "iframe" ? row.box : undefined;
    const inside = {
      depth: next.depth + 1,
      parent: index,
      left: box?.x ?? next.left,
      top: box?.y ?? next.top,
    };
    for (const child of childrenOf(next.node["children"], inside)) open.push(child);
  }
  return { rows, left };
}

/** The last first, as a stack takes them. */
const childrenOf = (children: unknown, place: Omit<Waiting, "node">): Waiting[] =>
  Array.isArray(children) ? children.map((node: unknown) => ({ ...place, node })).toReversed() : [];

type Node = Readonly<Record<string, unknown>>;

function readNode(node: Node, at: Waiting, { refs, page, secrets, editable }: TreeReading): Row {
  const role = cleanText(textOf(node["role"])) || "generic";
  const name = masked(cleanText(textOf(node["name"])), secrets);
  const own = boxOf(node["box"]);
  const driverRef = textOf(node["ref"]);
  const edited = own !== undefined && role !== "textbox" && editable.some((box) => sameBox(box, own));
  const pointed = node["cursor"] === "pointer";
  const text = chooses(node) ? chosenOption(node) : textOf(node["text"]);
  const url = textOf(node["url"]);
  const box = own === undefined ? {} : { box: { ...own, x: own.x + at.left, y: own.y + at.top } };
  return {
    role: edited && role === "generic" ? "textbox" : role,
    name,
    text: masked(cleanText(text), secrets),
    ...(driverRef === "" ? {} : { driverRef, ref: refs.refOf(page, driverRef, { role, name }) }),
    states: statesOf(node),
    depth: at.depth,
    parent: at.parent,
    ...box,
    ...(url === "" ? {} : { url: cleanText(url) }),
    interactive: driverRef !== "" && (isInteractiveRole(role) || pointed || edited),
  };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A list to choose from whose options are not on the page by themselves. */
const chooses = (node: Node): boolean =>
  (node["role"] === "combobox" || node["role"] === "listbox") && optionsOf(node).length > 0;

function optionsOf(node: Node): readonly Node[] {
  const children: readonly unknown[] = Array.isArray(node["children"]) ? node["children"] : [];
  const options = children.filter((child): child is Node => isRecord(child) && child["role"] === "option");
  return options.length === children.length && options.every((option) => option["ref"] === undefined) ? options : [];
}

const chosenOption = (node: Node): string =>
  optionsOf(node)
    .filter((option) => option["selected"] === true)
    .map((option) => textOf(option["name"]))
    .join(", ");

function statesOf(node: Node): readonly string[] {
  const on = ["checked", "disabled", "expanded", "pressed", "selected", "active"].flatMap((state) => {
    const value = node[state];
    if (value === true) return [state];
    return value === "mixed" ? [`${state} mixed`] : [];
  });
  const { level, invalid, placeholder } = node;
  const options = chooses(node) ? optionsOf(node).map((option) => cleanText(textOf(option["name"]))) : [];
  const more = options.length > OPTIONS_SHOWN ? ` and ${options.length - OPTIONS_SHOWN} more` : "";
  return [
    ...on,
    ...(invalid === undefined || invalid === false ? [] : ["invalid"]),
    ...(typeof level === "number" ? [`level ${level}`] : []),
    ...(typeof placeholder === "string" ? [`placeholder ${cleanText(placeholder)}`] : []),
    ...(options.length === 0 ? [] : [`options ${options.slice(0, OPTIONS_SHOWN).join(" | ")}${more}`]),
  ];
}

function boxOf(value: unknown): Box | undefined {
  if (!isRecord(value)) return undefined;
  const { x, y, width, height } = value;
  if (typeof x !== "number" || typeof y !== "number" || typeof width !== "number" || typeof height !== "number")
    return undefined;
  return width === 0 && height === 0 ? undefined : { x, y, width, height };
}

const sameBox = (a: Box, b: Box): boolean => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

function masked(text: string, secrets: ReadonlySet<string>): string {
  if (secrets.size === 0 || text === "") return text;
  let shown = text;
  for (const secret of secrets) {
    const clean = cleanText(secret);
    if (clean === "") continue;
    if (shown === clean) return MASK;
    if (clean.length >= SECRET_PART) shown = shown.replaceAll(clean, MASK);
  }
  return shown;
}
