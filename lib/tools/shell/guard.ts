/** What would not come back by itself when run in the foreground (core part, 17.1). Looked for outside quotes. */
const LONG_RUNNING: readonly (readonly [RegExp, string])[] = [
  [/(^|[\s;|&(])(nohup|disown|setsid)(\s|$)/, "it detaches a process"],
  [/(^|[^&>|])&(\s+[^&\s>]|\s*$|\s*\n)/, "it puts a process in the background with &"],
  [/(^|[\s;|&(])(npm|pnpm|yarn|bun)(\s+run)?\s+(dev|start|serve|watch)(\s|$)/, "it starts a development server"],
  [/(^|[\s;|&(])docker(-|\s+)compose(\s+-\S+)*\s+up(\s|$)(?!.*\s(-d|--detach)(\s|$))/, "it starts services"],
  [/(^|[\s;|&(])next\s+dev(\s|$)/, "it starts a development server"],
  [/(^|[\s;|&(])(npx\s+)?(vite|nodemon)(\s+(?!build\b|optimize\b)|\s*$|\s*[;|&])/, "it starts a development server"],
  [/(^|[\s;|&(])(uvicorn|gunicorn)(\s|$)/, "it starts a server"],
  [/(^|[\s;|&(])python[\d.]*\s+(-\S+\s+)*-m\s+http\.server(\s|$)/, "it starts a server"],
];

/** Why a foreground command should run in the background, or undefined. Calls for help or a version always end. */
export function backgroundReason(command: string): string | undefined {
  const bare = withoutQuotes(command);
  if (/(^|\s)(--help|-h|--version|-v)(\s|$)/.test(bare)) return undefined;
  return LONG_RUNNING.find(([pattern]) => pattern.test(bare))?.[1];
}

/** The command with quoted and escaped parts, comments and here-document bodies replaced by a mark. */
function withoutQuotes(command: string): string {
  const kept: string[] = [];
  let at = 0;
  while (at < command.length) {
    const char = command[at] ?? "";
    if (char === "\\") {
      kept.push(command[at + 1] === "\n" ? " " : "_");
      at += 2;
    } else if (char === "'" || char === '"') {
      kept.push("_");
      at = quoteEnd(command, at + 1, char);
    } else if (char === "#" && (at === 0 || /[\s;&|(]/.test(command[at - 1] ?? ""))) {
      at = lineEnd(command, at);
    } else if (command.startsWith("<<", at) && command[at + 2] !== "<") {
      const skipped = hereEnd(command, at);
      kept.push(" _ ", command.slice(skipped.operatorEnd, skipped.line));
      at = skipped.end;
    } else {
      kept.push(char);
      at += 1;
    }
  }
  return kept.join("");
}

function quoteEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === quote) return at + 1;
    if (text[at] === "\\" && quote === '"') at += 1;
  }
  return text.length;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function hereEnd(text: string, from: number): { operatorEnd: number; line: number; end: number } {
  const match = /^<<-?\s*(['"]?)([A-Za-z_][\w.-]*)\1/.exec(text.slice(from, from + 200));
  if (match === null) return { operatorEnd: from + 2, line: from + 2, end: from + 2 };
  const operatorEnd = from + match[0].length;
  const line = lineEnd(text, operatorEnd);
  let at = line + 1;
  while (at < text.length) {
    const end = lineEnd(text, at);
    if (text.slice(at, end).trim() === match[2]) return { operatorEnd, line, end };
    at = end + 1;
  }
  return { operatorEnd, line, end: text.length };
}
