import { type ExecScope, inspect } from "../exec/exec.js";

const SHELL = String.raw`(?:\S*/)?(?:ba|z|da|k|c|tc|fi|a)?sh\b`;
const CODE = String.raw`(?:\S*/)?(?:python[\d.]*|perl|ruby|node|php)\b`;
const RUNNER = String.raw`(?:(?:sudo|env|exec|nohup|command)\s+(?:-\S+\s+)*)*(?:${SHELL}|${CODE})`;
const FETCH = String.raw`\b(?:curl|wget|fetch|aria2c|http|https)\b`;

const PIPED = new RegExp(String.raw`${FETCH}[^\n]*\|\s*${RUNNER}`, "i");
const SUBSTITUTED = new RegExp(
  String.raw`(?:${SHELL}|\beval|\bsource|(?:^|[\n;&|])\s*\.)\s[^\n]*(?:<\(|\$\(|\`)\s*${FETCH}`,
  "i",
);
const SUDO_RM = /\bsudo\b[^\n;|&]*\brm\b[^\n;|&]*\s-(?:-recursive\b|-force\b|[a-z]*[rf])/i;
const RM_ROOT =
  /\brm\b(?=[^\n;|&]*\s-(?:[a-z]*r|-recursive))(?=[^\n;|&]*\s-(?:[a-z]*f|-force))[^\n;|&]*\s["']?\/+(?:\*|\.)?["']?(?=\s|$|[;|&])/im;
const FORK_BOMB = /(\S+?)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}\s*;?\s*\1/;

/** What is typed goes to whatever has the focus: it may be a terminal. @returns why it is never typed; undefined: it may be */
export function refusedText(text: string, scope: ExecScope): string | undefined {
  if (PIPED.test(text) || SUBSTITUTED.test(text)) return "it pipes a download into a shell";
  if (SUDO_RM.test(text)) return "it removes files recursively or by force as root";
  if (RM_ROOT.test(text)) return "it removes the file system";
  if (FORK_BOMB.test(text)) return "it is a fork bomb";
  // Other spellings, as the shell would read them.
  const { risks, blocked, calls } = inspect(text, scope);
  if (risks.some((risk) => risk.class === "download-run" && risk.unsure !== true))
    return "it pipes a download into a shell";
  const removes = calls.some((call) => call.program === "rm");
  if (blocked?.startsWith("BLOCKED (hardline)") === true && removes) return "it removes the file system";
  return blocked?.includes("starts itself without end") === true ? "it is a fork bomb" : undefined;
}
