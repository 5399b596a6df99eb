import type { Document, YAMLSeq } from "yaml";
import { AppError } from "../../base/errors.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import { type ListName, type RuleFiles, readTrust, trustHash } from "./rules.js";

/** Rules that one file may hold; a longer list could no longer be read. */
const RULES_AT_MOST = 2_000;

/**
 * Add rules to a list of a rule file, made when it is not there. Comments and order stay; a rule that stands there already is not added
 * again. `texts` are lines as `ruleText` writes them.
 *
 * @throws E_CONFIG when the file is broken: it is never overwritten
 */
export async function addRules(path: string, list: ListName, texts: readonly string[], mode: number): Promise<void> {
  const { isMap, isSeq, parseDocument } = await import("yaml");
  const document = await open(path);
  if (!isMap(document.contents)) throw broken(path, "it holds no lists");
  const known = document.contents.get(list, true);
  if (known !== undefined && known !== null && !isSeq(known)) throw broken(path, `${list} is not a list`);
  const seq: YAMLSeq<unknown> = isSeq(known) ? known : document.createNode([]);
  if (!isSeq(known)) document.contents.set(list, seq);
  const there = new Set(seq.items.map((item) => JSON.stringify(item)));
  for (const text of texts) {
    const node = parseDocument(text).contents;
    if (node === null || there.has(JSON.stringify(node))) continue;
    if (seq.items.length >= RULES_AT_MOST)
      throw new AppError("E_TOO_LARGE", `${path} holds ${RULES_AT_MOST} rules already`);
    seq.items.push(node);
  }
  seq.flow = false;
  replaceTextFile(path, write(document), mode);
}

/** Take the rule at a place out of its file. @throws E_CONFIG (broken file), E_CONFLICT when the rule there is not the one that is meant */
export async function removeRule(path: string, list: ListName, index: number, value: unknown): Promise<void> {
  const { isMap, isSeq } = await import("yaml");
  const document = await open(path);
  const seq = isMap(document.contents) ? document.contents.get(list, true) : undefined;
  const item = isSeq(seq) ? seq.items[index] : undefined;
  if (!isSeq(seq) || item === undefined || JSON.stringify(item) !== JSON.stringify(value))
    throw new AppError("E_CONFLICT", `${path} was changed meanwhile`, { hint: "list the rules again, then repeat" });
  seq.items.splice(index, 1);
  replaceTextFile(path, write(document));
}

/** Trust the allow list of the project's file as it is now. @returns the hash that is trusted */
export async function trustProject(files: RuleFiles): Promise<string> {
  const hash = await trustHash(files);
  replaceTextFile(
    files.trust,
    `${JSON.stringify({ ...readTrust(files.trust), [files.projectDir]: hash }, null, 2)}\n`,
    0o600,
  );
  return hash;
}

/** @returns false when it was not trusted */
export function untrustProject(files: RuleFiles): boolean {
  const { [files.projectDir]: known, ...rest } = readTrust(files.trust);
  if (known !== undefined) replaceTextFile(files.trust, `${JSON.stringify(rest, null, 2)}\n`, 0o600);
  return known !== undefined;
}

async function open(path: string): Promise<Document> {
  const { parseDocument } = await import("yaml");
  const text = readTextSync(path) ?? "";
  const document: Document = parseDocument(text.trim() === "" ? `${text}version: 1\n` : text, { customTags: [] });
  const [error] = document.errors;
  if (error !== undefined)
    throw broken(path, error.message.split("\n", 1)[0] ?? "not valid YAML", error.linePos?.[0].line);
  return document;
}

const write = (document: Document) => document.toString({ lineWidth: 0, flowCollectionPadding: false });

const broken = (path: string, why: string, line?: number) =>
  new AppError(
    "E_CONFIG",
    `${path}${line === undefined ? "" : `:${line}`} is not changed, because it cannot be read: ${why}`,
    {
      hint: "mend the file, then repeat",
    },
  );
