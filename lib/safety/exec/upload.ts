import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UNKNOWN, type Word } from "../options/command-line.js";
import { type Call, type ExecScope, operandPath } from "../writes/operands.js";
import { isInsideScope } from "./secrets.js";

/** The call sends the content of a file, or of what the line reads, to a host (core part, 20.4). */
export function sendsFile(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  if (opensSocket(call)) return true;
  switch (call.program) {
    case "curl":
    case "curlie":
      return curlSends(call, all);
    case "wget":
      return wgetSends(call, scope, all);
    case "http":
    case "https":
    case "xh":
      return (
        call.words.some((word) => /^[\w[\].-]*(:?=)?@./.test(word) || /^--auth-type=.*@/.test(word)) ||
        isFed(call, all) ||
        carriesContent(call, all)
      );
    case "nc":
    case "ncat":
    case "netcat":
    case "telnet":
      return isFed(call, all) || carriesContent(call, all);
    case "socat":
      return !call.words.every((word) => word === "-V" || word === "-h");
    case "openssl":
      return call.operands[0]?.text === "s_client" && isFed(call, all);
    case "dig":
    case "nslookup":
    case "host":
    case "drill":
    case "ping":
    case "whois":
      return carriesContent(call, all) || call.words.some((word) => word === "-f");
    case "git":
      return pushesElsewhere(call, scope, all) || call.operands[0]?.text === "send-email";
    default:
      return sendsByVerb(call, all);
  }
}

const SENDERS =
  /^(ftp|lftp|tftp|ncftpput|ftp-upload|croc|wormhole|pastebinit|termbin|transfer|magic-wormhole|bashupload|oshi|sendmail|mutt|mail|mailx|swaks|msmtp|s-nail|uuencode-mail)$/;

const VERBS: Readonly<Record<string, (texts: readonly string[], call: Call) => boolean>> = {
  aws: (texts) => texts[0] === "s3" && /^(cp|mv|sync)$/.test(texts[1] ?? "") && /^s3:/.test(texts.at(-1) ?? ""),
  gsutil: (texts) => /^(-m )?(cp|mv|rsync)$/.test(texts[0] ?? "") && /^gs:/.test(texts.at(-1) ?? ""),
  gcloud: (texts) =>
    texts[0] === "storage" && /^(cp|mv|rsync)$/.test(texts[1] ?? "") && /^gs:/.test(texts.at(-1) ?? ""),
  az: (texts) => texts[0] === "storage" && texts.some((text) => /^(upload|upload-batch|sync|copy)$/.test(text)),
  rclone: (texts) => /^(copy|sync|move|copyto|moveto|rcat|bisync)$/.test(texts[0] ?? ""),
  s3cmd: (texts) => /^(put|sync|mv|cp)$/.test(texts[0] ?? ""),
  b2: (texts) => texts.some((text) => /^(upload\S*|upload|sync|file)$/.test(text)),
  mc: (texts) => /^(cp|mirror|mv|pipe)$/.test(texts[0] ?? ""),
  gh: (texts, call) =>
    (texts[0] === "gist" && /^(create|edit)$/.test(texts[1] ?? "")) ||
    (texts[0] === "api" && call.words.some((word) => /^--input|=@/.test(word))) ||
    (texts[0] === "secret" && texts[1] === "set"),
};

function sendsByVerb(call: Call, all: readonly Call[]): boolean {
  if (SENDERS.test(call.program))
    return !call.words.every((word) => /^(--version|-V|--help|-h)$/.test(word)) || isFed(call, all);
  const test = Object.hasOwn(VERBS, call.program) ? VERBS[call.program] : undefined;
  const texts = call.operands.map((word) => word.text);
  return test?.(texts, call) ?? false;
}

/** `> /dev/tcp/host/port` of bash. */
const opensSocket = (call: Call): boolean =>
  call.simple.redirects.some((one) => /^\/dev\/(tcp|udp)\//.test(one.target.text));

/** Options of curl whose value is sent. */
const CURL_DATA = /^(-[a-zA-Z#]*[dF]|--(data|json|form|url-query|variable|expand)[\w-]*)$/;

function curlSends(call: Call, all: readonly Call[]): boolean {
  const words = call.simple.words.slice(1);
  if (words.some(({ text }) => /^(-[a-zA-Z#]*T|--up[\w-]*|-K|--config)(=|$)|^-[sSkLfvi#]*[TK]./.test(text)))
    return true;
  if (words.some((word, index) => sendsNamedFile(word, words[index - 1]?.text ?? "", call, all))) return true;
  const asked = words.some(
    (word, index) => CURL_DATA.test(words[index - 1]?.text ?? "") && !word.literal && word.inner.length === 0,
  );
  return asked || carriesContent(call, all);
}

/** `@file`, `name@file`, `f=@file`, `f=<file`, also behind `-d` and `-H`; `@-` sends what it is fed. */
function sendsNamedFile({ text }: Word, before: string, call: Call, all: readonly Call[]): boolean {
  const value = /^-[a-zA-Z#]*[dFH](@.*|[\w.-]*=[@<].*)$/.exec(text)?.[1] ?? text;
  const named = /^@(.*)$/.exec(value)?.[1] ?? /^[\w.[\]-]+=[@<](.*)$/.exec(value)?.[1];
  const encoded = /^--(data-urlencode|url-query|variable)$/.test(before)
    ? /^[\w.-]*@(.*)$/.exec(value)?.[1]
    : undefined;
  const file = named ?? encoded;
  if (file === undefined) return false;
  return /^(-|\/dev\/(stdin|fd\/0))$/.test(file) ? isFed(call, all) : true;
}

function wgetSends(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  if (call.words.some((word) => /^--(post-f|body-f)[\w-]*(=|$)/.test(word))) return true;
  const listed = call.words.flatMap((word, index) =>
    /^(-[a-zA-Z]*i|--input-file)$/.test(word)
      ? [call.words[index + 1] ?? ""]
      : (/^(?:-i|--input-file=)(.+)$/.exec(word)?.slice(1) ?? []),
  );
  if (listed.some((text) => text !== "-" && !isInsideScope(operandPath(text, call.simple.cwd), scope))) return true;
  const unknown = call.simple.words.some(({ text, literal }) => /^--(post|body)-/.test(text) && !literal);
  return unknown || carriesContent(call, all);
}

/** Programs whose output is made of their words. */
const SAYS = /^(echo|printf|seq|yes|true|date|sleep|:)$/;

/** What it reads is more than a text that stands in the line. */
function isFed(call: Call, all: readonly Call[]): boolean {
  const { feed, redirects } = call.simple;
  if (redirects.some((one) => (one.op === "<" || one.op === "<>") && one.target.text !== "/dev/null")) return true;
  if (redirects.some((one) => one.op.startsWith("<<") && (one.body ?? one.target).inner.length > 0)) return true;
  return (
    feed !== undefined &&
    all
      .slice(feed.from, feed.to)
      .some((feeder) => !SAYS.test(feeder.program) || feeder.simple.words.some((word) => word.inner.length > 0))
  );
}

/** Programs in a substitution that tell nothing of files. */
const TELLS_NOTHING =
  /^(date|echo|printf|seq|nproc|true|uuidgen|basename|dirname|mktemp|expr|uname|arch|id|whoami|pwd|test|\[)$/;
const READS_LINE = /^(read|mapfile|readarray)$/;

/** A word of the call is made of what the line reads. */
function carriesContent(call: Call, all: readonly Call[]): boolean {
  const words = call.simple.words.slice(1);
  if (words.some((word) => word.inner.some((range) => all.slice(range.from, range.to).some(tellsOfFiles)))) return true;
  const unknown = words.some((word) => word.text.includes(UNKNOWN) && word.inner.length === 0);
  if (!unknown && !call.simple.under.some((by) => by === "xargs" || by === "parallel")) return false;
  const handed = call.simple.under.some((by) => by === "xargs" || by === "parallel");
  return (
    handed ||
    all.some(
      (other) =>
        READS_LINE.test(other.program) ||
        other.simple.assignments.some((word) =>
          word.inner.some((range) => all.slice(range.from, range.to).some(tellsOfFiles)),
        ),
    )
  );
}

const tellsOfFiles = (call: Call): boolean =>
  call.simple.words.length > 0
    ? !TELLS_NOTHING.test(call.program) &&
      !(call.program === "git" && /^(rev-parse|describe|config)$/.test(call.operands[0]?.text ?? ""))
    : call.simple.redirects.length > 0;

/** A push to an address that the repository does not know, or to a remote whose address this conversation has set. */
function pushesElsewhere(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  const texts = call.operands.map((word) => word.text);
  const at = texts.indexOf("push");
  const before = new Set(["-C", "-c", "--git-dir", "--work-tree"]);
  const first = call.words.findIndex(
    (word, index) => !word.startsWith("-") && !before.has(call.words[index - 1] ?? ""),
  );
  if (at === -1 || call.words[first] !== "push") return false;
  if (call.words.some((word) => /^(remote\..*|url\..*)=/i.test(word))) return true;
  const rest = call.words.slice(first + 1);
  const named = rest.flatMap((word) => /^--repo=(.+)$/.exec(word)?.slice(1) ?? []);
  const target = [
    ...named,
    ...rest.filter(
      (word, index) =>
        !word.startsWith("-") && !/^(-o|--push-option|--repo|--receive-pack|--exec)$/.test(rest[index - 1] ?? ""),
    ),
  ][0];
  const made = all.slice(0, Math.max(0, all.indexOf(call))).some((other) => setsRemote(other));
  const set = scope.written?.remotes ?? [];
  if (target === undefined) return made || set.length > 0;
  if (target.includes(UNKNOWN)) return made || set.length > 0;
  if (/[/:]/.test(target)) return !remoteAddresses(scope).includes(target);
  return made || set.includes(target) || set.includes("*");
}

const setsRemote = (call: Call): boolean =>
  call.program === "git" &&
  ((call.words.includes("remote") && call.words.some((word) => /^(add|set-url|rename)$/.test(word))) ||
    (call.words.includes("config") &&
      call.words.some((word) => /^(remote\..*url|url\..*insteadof|remote\.pushdefault)$/i.test(word))));

/** Addresses in the configuration of the project's repository. */
function remoteAddresses(scope: ExecScope): readonly string[] {
  try {
    const text = readFileSync(join(scope.project, ".git", "config"), "utf8");
    return [...text.matchAll(/^\s*(?:push)?url\s*=\s*(\S+)\s*$/gim)].flatMap((match) => match[1] ?? []);
  } catch {
    return []; // no repository, or a worktree: only names of remotes are known
  }
}
