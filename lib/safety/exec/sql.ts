import { readFileSync, statSync } from "node:fs";
import { type Call, type ExecScope, operandPath, optionValues } from "../writes/operands.js";
import { isInsideScope } from "./secrets.js";

const DATABASES =
  /^(psql|mysql|mariadb|sqlite3|sqlcmd|duckdb|clickhouse-client|cockroach|usql|pgcli|mycli|mongosh|mongo|redis-cli|bq)$/;
const DESTROYS =
  /\bdrop\s+(table|database|schema|view|collection)\b|\btruncate\b|\.drop(Database)?\(|\bflush(all|db)\b/i;
/** Lines that are orders to the client: they read further files, write others or start programs. */
const ORDERS = /^\s*(\\|\.[a-z]|(source|system|tee|pager)\s)|\bprogram\s+'/im;
const FILE_BYTES = 1_000_000;

/** The call gives a database client statements that lose data, or a file of statements that cannot be looked at (core part, 20.4). */
export function destroysSql(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  if (call.program === "dropdb") return true;
  if (call.program === "mysqladmin") return call.operands.some((word) => word.text === "drop");
  if (!DATABASES.test(call.program)) return false;
  const fed =
    call.simple.feed === undefined
      ? []
      : all.slice(call.simple.feed.from, call.simple.feed.to).flatMap((feeder) => feeder.words);
  const texts = [...call.words, ...fed, ...call.simple.redirects.map((one) => one.body?.text ?? one.target.text)];
  if (texts.some(losesData)) return true;
  return filesOf(call).some((file) => {
    const text = readStatements(operandPath(file, call.simple.cwd), scope);
    return text === undefined || ORDERS.test(text) || losesData(text);
  });
}

const losesData = (text: string): boolean =>
  DESTROYS.test(text) || text.split(";").some((one) => /\bdelete\s+from\b/i.test(one) && !/\bwhere\b/i.test(one));

/** Files of statements that the client is given. */
function filesOf(call: Call): readonly string[] {
  const named = /^(psql|pgcli|cockroach|usql)$/.test(call.program)
    ? optionValues(call, "-f", "--file").map((word) => word.text)
    : [];
  const read = call.simple.redirects.flatMap((one) => (one.op === "<" ? [one.target.text] : []));
  return [...named, ...read].filter((file) => file !== "-" && file !== "/dev/null" && file !== "/dev/stdin");
}

/** The text of a file of the project; undefined: it is missing, elsewhere or too long. */
function readStatements(path: string | undefined, scope: ExecScope): string | undefined {
  if (path === undefined || !isInsideScope(path, scope)) return undefined;
  try {
    return statSync(path).size > FILE_BYTES ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined; // missing or not readable: the call is asked about
  }
}
