import { type Archive, openArchive } from "./zip.js";

/** Text of a Word document: paragraphs as lines, cells of tables apart by tabs. Undefined: it is none. */
export function wordText(bytes: Buffer): string | undefined {
  const xml = part(openArchive(bytes), "word/document.xml");
  if (xml === undefined) return undefined;
  let text = "";
  let inText = false;
  for (const { name, isEnd, isEmpty, before } of tagsOf(xml)) {
    if (inText) text += decoded(before);
    inText = name === "w:t" && !isEnd && !isEmpty;
    if (name === "w:tab" && !isEnd) text += "\t";
    if ((name === "w:br" || name === "w:cr") && !isEnd) text += "\n";
    if (name === "w:tc" && isEnd) text = `${text.trimEnd()}\t`;
    if ((name === "w:p" || name === "w:tr") && (isEnd || isEmpty)) text += "\n";
  }
  return text;
}

/** Text of a workbook: each sheet with its name, rows as lines, cells apart by tabs. Undefined: it is none. */
export function workbookText(bytes: Buffer): string | undefined {
  const archive = openArchive(bytes);
  const workbook = part(archive, "xl/workbook.xml");
  if (archive === undefined || workbook === undefined) return undefined;
  const targets = new Map(
    tagsOf(part(archive, "xl/_rels/workbook.xml.rels") ?? "").map(({ attributes }) => [
      attributes("Id"),
      attributes("Target"),
    ]),
  );
  const shared = sharedTexts(part(archive, "xl/sharedStrings.xml") ?? "");
  const sheets = tagsOf(workbook).filter(({ name, isEnd }) => name === "sheet" && !isEnd);
  return sheets
    .map(({ attributes }, index) => {
      const target = (targets.get(attributes("r:id")) ?? `worksheets/sheet${index + 1}.xml`).replace(
        /^\/?(xl\/)?/,
        "xl/",
      );
      return `# [sheet ${index + 1}: ${decoded(attributes("name"))}]\n${sheetText(part(archive, target) ?? "", shared)}`;
    })
    .join("\n\n");
}

const part = (archive: Archive | undefined, name: string): string | undefined => archive?.read(name)?.toString("utf8");

function sharedTexts(xml: string): readonly string[] {
  const texts: string[] = [];
  let inText = false;
  let text = "";
  for (const { name, isEnd, isEmpty, before } of tagsOf(xml)) {
    if (inText) text += decoded(before);
    inText = name === "t" && !isEnd && !isEmpty;
    if (name !== "si" || (!isEnd && !isEmpty)) continue;
    texts.push(text);
    text = "";
  }
  return texts;
}

/** Rows and columns beyond are blank in any honest sheet. */
const COLUMNS_AT_MOST = 16_384;

function sheetText(xml: string, shared: readonly string[]): string {
  const rows: string[] = [];
  let row: string[] = [];
  let kind = "";
  let value = "";
  let column = 0;
  let isValue = false;
  for (const { name, isEnd, isEmpty, before, attributes } of tagsOf(xml)) {
    if (isValue) value += decoded(before);
    isValue = (name === "v" || name === "t") && !isEnd && !isEmpty;
    if (name === "row" && !isEnd) row = [];
    if (name === "c" && !isEnd) {
      kind = attributes("t");
      value = "";
      column = columnOf(attributes("r")) ?? row.length;
    }
    if (name === "c" && isEnd && column < COLUMNS_AT_MOST) {
      while (row.length < column) row.push("");
      row[column] = (kind === "s" ? (shared[Number(value)] ?? "") : value).replace(/[\t\r\n]+/g, " ");
    }
    if (name === "row" && (isEnd || isEmpty)) rows.push(row.join("\t"));
  }
  return rows.join("\n");
}

/** `C7` is column 2. */
function columnOf(place: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0];
  return letters === undefined
    ? undefined
    : [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly isEmpty: boolean;
  /** Text between the tag before and this one. */
  readonly before: string;
  attributes(name: string): string;
}

/** Tags in order. Office programs write plain XML: no comments that matter, no documents inside. */
function tagsOf(xml: string): readonly Tag[] {
  const tags: Tag[] = [];
  for (let from = 0; ; ) {
    const open = xml.indexOf("<", from);
    const close = open === -1 ? -1 : xml.indexOf(">", open);
    if (close === -1) return tags;
    const inside = xml.slice(open + 1, close);
    const isEnd = inside.startsWith("/");
    const name = /^[\w:.-]*/.exec(isEnd ? inside.slice(1) : inside)?.[0] ?? "";
    const before = xml.slice(from, open);
    tags.push({
      name,
      isEnd,
      isEmpty: inside.endsWith("/"),
      before,
      attributes: (wanted) => attributeOf(inside, wanted),
    });
    from = close + 1;
  }
}

function attributeOf(inside: string, wanted: string): string {
  const at = inside.indexOf(` ${wanted}="`);
  if (at === -1) return "";
  const start = at + wanted.length + 3;
  const end = inside.indexOf('"', start);
  return end === -1 ? "" : inside.slice(start, end);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/g, (whole, hex, decimal, name) => {
    if (typeof name === "string") return ENTITIES[name] ?? whole;
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
