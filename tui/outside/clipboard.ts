import { sanitizeLine } from "../draw/sanitize.js";
import type { Programs } from "./programs.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Terminals refuse longer ones; the text itself, before it is encoded. */
const LONGEST_COPY_BYTES = 74_000;
const PIECE = 480; // screen passes shorter strings on only

/** The sequence that puts a text into the terminal's clipboard, also through tmux and screen; undefined: it is too long for one. */
export function clipboardSequence(text: string, env: Env): string | undefined {
  if (Buffer.byteLength(text) > LONGEST_COPY_BYTES) return undefined;
  const plain = `\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`;
  if (env["TMUX"]) return `${plain}\x1bPtmux;${plain.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`;
  if (!env["STY"] && !/^screen/.test(env["TERM"] ?? "")) return plain;
  const pieces = plain.match(new RegExp(`[\\s\\S]{1,${PIECE}}`, "g")) ?? [];
  return pieces.map((piece) => `\x1bP${piece}\x1b\\`).join("");
}

/** Terminals that are known to do nothing with the sequence. */
const knowsNone = (env: Env): boolean =>
  /^(linux|dumb|vt\d+)$/.test(env["TERM"] ?? "") || env["TERM_PROGRAM"] === "Apple_Terminal";

const TOOLS: readonly { readonly argv: readonly string[]; readonly when: (env: Env) => boolean }[] = [
  { argv: ["wl-copy"], when: (env) => Boolean(env["WAYLAND_DISPLAY"]) },
  { argv: ["xclip", "-selection", "clipboard"], when: (env) => Boolean(env["DISPLAY"]) },
  { argv: ["xsel", "--clipboard", "--input"], when: (env) => Boolean(env["DISPLAY"]) },
  { argv: ["pbcopy"], when: () => process.platform === "darwin" },
  { argv: ["clip.exe"], when: (env) => Boolean(env["WSL_DISTRO_NAME"]) },
];

export interface Copying {
  readonly env: Env;
  readonly programs: Programs;
  readonly write: (sequence: string) => void;
  /** File for what no clipboard takes. */
  readonly file: string;
}

/** Copy by every possible way, else into a file. @returns what is said to the user */
export async function copyText(
  text: string,
  what: string | undefined,
  copying: Copying,
): Promise<{ text: string; error: boolean }> {
  const named = sanitizeLine(what ?? counted(text));
  if (text === "") return { text: "nothing to copy", error: true };
  const { env, programs, write, file } = copying;
  const sequence = knowsNone(env) ? undefined : clipboardSequence(text, env);
  if (sequence !== undefined) write(sequence);
  const tool = await byTool(text, env, programs);
  const long = Buffer.byteLength(text) > LONGEST_COPY_BYTES;
  if (!long && (tool || sequence !== undefined)) return { text: `copied ${named}`, error: false };
  try {
    await programs.write(file, text);
    const way = tool
      ? `copied ${named}, also`
      : `${named}: ${long ? "too long for the clipboard" : "no clipboard available"},`;
    return { text: `${way} written to ${file}`, error: false };
  } catch (error) {
    return { text: `not copied: ${sanitizeLine(error instanceof Error ? error.message : String(error))}`, error: true };
  }
}

function counted(text: string): string {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return lines === 1 ? "1 line" : `${lines.toLocaleString("en")} lines`;
}

/** A clipboard program of this machine; over ssh its clipboard is not the user's. */
async function byTool(text: string, env: Env, programs: Programs): Promise<boolean> {
  if (env["SSH_CONNECTION"] || env["SSH_TTY"]) return false;
  const tool = TOOLS.find(({ argv, when }) => when(env) && programs.has(argv[0] ?? ""));
  if (!tool) return false;
  try {
    return (await programs.run(tool.argv, { terminal: false, stdin: text })) === 0;
  } catch {
    return false; /* ok to lose: the other ways are tried, and the message tells which one worked */
  }
}
