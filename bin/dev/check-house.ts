import type { Check, Finding } from "./check-type.js";
import { isGenerated, type Source } from "./parse.js";

const RULES: readonly {
  readonly rule: string;
  readonly find: RegExp;
  readonly message: string;
  readonly except?: RegExp;
}[] = [
  {
    rule: "disable",
    find: /(?:biome-ignore|@ts-(?:ignore|expect-error|nocheck)|eslint-disable)/g,
    message: "exceptions are listed, not written into the code",
  },
  {
    rule: "empty catch",
    find: /\bcatch\s*(?:\([^)]*\)\s*)?\{(?:\s|\/\*(?:[^*]|\*(?!\/))*\*\/|\/\/[^\n]*)*\}/g,
    message: "a dropped error says: /* ok to lose: <reason> */",
    except: /ok to lose: \S/,
  },
  {
    rule: "newer node",
    find: /\b(?:Promise\.withResolvers|Array\.fromAsync|Object\.groupBy|Map\.groupBy|enableCompileCache)\b|"node:sqlite"/g,
    message: "is not in Node 20",
  },
  {
    rule: "zod import",
    find: /import \{[^}]*\} from "zod"/g,
    message: 'write import * as z from "zod": the other form takes all languages along',
  },
  {
    rule: "secret comparison",
    find: /\btimingSafeEqual\b|\.reveal\(\)\s*[!=]==(?! (?:""|undefined))|[!=]==\s*[\w.?]+\.reveal\(\)/g,
    message: "secrets are compared by sameText of lib/safety/redact/same-text.ts, whose time tells nothing about them",
  },
  {
    rule: "default export",
    find: /^export default (?!define[A-Z]|async function\* report)/gm,
    message: "only definition files have a default export",
  },
];

/** Form that neither compiler nor linter looks at. */
export const checkHouse: Check = {
  name: "house",
  run: (sources) => ({
    findings: sources.filter(({ path }) => !isGenerated(path) && path !== "bin/dev/check-house.ts").flatMap(findingsOf),
  }),
};

function findingsOf({ path, text }: Source): Finding[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const named = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*\.tsx?$/.test(name)
    ? []
    : [{ file: path, rule: "file name", message: "file names are kebab-case" }];
  const found = RULES.flatMap(({ rule, find, message, except }) =>
    [...text.matchAll(find)]
      .filter(([hit]) => except === undefined || !except.test(hit))
      .map((match): Finding => ({ file: path, line: text.slice(0, match.index).split("\n").length, rule, message })),
  );
  return [...named, ...found];
}
