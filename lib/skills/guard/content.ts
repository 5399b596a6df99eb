import type { SkillFile, SkillFinding } from "../../contracts/skills/guard.js";

/** What a file is, before its lines are read. */
export interface JudgedContent {
  /** Absent: no text. */
  readonly text?: string;
  readonly finding?: Pick<SkillFinding, "rule" | "severity" | "text">;
}

type Magic = readonly [start: string, what: string, severity: SkillFinding["severity"]];

/** First bytes, in Latin-1. */
const MAGIC: readonly Magic[] = [
  ["\x7fELF", "a compiled program", "caution"],
  ["MZ", "a compiled program", "caution"],
  ["\xcf\xfa\xed\xfe", "a compiled program", "caution"],
  ["\xce\xfa\xed\xfe", "a compiled program", "caution"],
  ["\xca\xfe\xba\xbe", "a compiled program", "caution"],
  ["\x00asm", "a compiled program", "caution"],
  ["PK\x03\x04", "an archive", "caution"],
  ["\x1f\x8b", "an archive", "caution"],
  ["BZh", "an archive", "caution"],
  ["\xfd7zXZ", "an archive", "caution"],
  ["7z\xbc\xaf", "an archive", "caution"],
  ["Rar!", "an archive", "caution"],
  ["\x28\xb5\x2f\xfd", "an archive", "caution"],
  ["\x89PNG", "a picture", "note"],
  ["\xff\xd8\xff", "a picture", "note"],
  ["GIF8", "a picture", "note"],
  ["RIFF", "a picture or sound", "note"],
  ["%PDF", "a PDF", "note"],
];

/** Documents that are archives by their form. */
const OFFICE = /\.(?:docx|dotx|xlsx|xltx|pptx|potx|odt|ods|odp|epub)$/i;
const ASSET = /\.(?:png|jpe?g|gif|webp|ico|bmp|tiff?|pdf|woff2?|ttf|otf|eot|mp3|wav|ogg|mp4|webm)$/i;
const TEXT =
  /(?:^|\/)[^./]+$|\.(?:md|mdx|markdown|txt|rst|sh|bash|zsh|fish|py|rb|pl|php|lua|js|mjs|cjs|ts|tsx|jsx|json|jsonc|ya?ml|toml|ini|cfg|conf|xml|html?|css|svg|csv|tsv|sql|go|rs|java|kt|swift|c|h|cc|cpp|cs|r|jl|ps1|psm1|bat|cmd|tf|tmpl|j2|env|example)$/i;

const HEAD = 8_192;

/** What a file is by its first bytes and its name. */
export function judgeContent({ path, bytes }: SkillFile): JudgedContent {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = buffer.subarray(0, HEAD).toString("latin1");
  const magic = MAGIC.find(([start]) => head.startsWith(start) && (start !== "MZ" || head.includes("PE\0\0")));
  if (magic !== undefined) {
    const [, what, severity] = magic;
    const fits = severity === "note" ? ASSET.test(path) : OFFICE.test(path);
    if (fits) return {};
    return {
      finding: {
        rule: "unreadable",
        severity: severity === "note" && TEXT.test(path) ? "caution" : severity,
        text: `is ${what}: what is in it is not scanned`,
      },
    };
  }
  if (/^\xfe\xff|^\xff\xfe/.test(head) || (head.includes("\0") && TEXT.test(path)))
    return {
      finding: { rule: "unreadable", severity: "caution", text: "is not text in UTF-8: what is in it is not scanned" },
    };
  if (head.includes("\0"))
    return ASSET.test(path)
      ? {}
      : { finding: { rule: "unreadable", severity: "caution", text: "is no text: what is in it is not scanned" } };
  return { text: buffer.toString("utf8") };
}
