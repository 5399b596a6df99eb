import { type Call, hasFlag } from "../writes/operands.js";
import { type ClientKind, type ClientProgram, findClient } from "./clients.js";

const LOOKING_VERB =
  /^(describe|describe-\S+|list|list-\S+|ls|get|get-\S+|head-\S+|show|info|version|help|lookup-\S+|search\S*|batch-get-\S+|query|scan|filter-log-events|wait|logs|tail|status|read|get-value|whoami|stat|du|cat|print-access-scopes|select)$/;
const CHANGING_VERB =
  /^(create|delete|update|put|set|add|remove|rm|rb|mb|mv|cp|sync|run|start|stop|restart|deploy|attach|detach|modify|enable|disable|terminate|reboot|import|export|import|copy|move|register|deregister|invoke|publish|send|assign|grant|revoke|patch|apply|destroy|resize|scale|ssh|scp|login|logout|submit|execute|call|connect|reset|restore|rotate|tag|untag|associate|disassociate|authorize|configure|presign|upload|load|insert|mk|extract|undelete|purge|cancel|promote|rollback|failover|replace|migrate|configure|up|down|link|unlink)(-\S+)?$/;
/** Answers that are secrets themselves. */
const GIVES_SECRET =
  /^(get-secret-value|get-session-token|get-login-password|get-federation-token|print-access-token|print-identity-token|get-access-token|get-credentials|list-keys|list-publishing-\S+|list-connection-strings|get-authorization-token|get-password-data)$/;

/** The call changes or deletes what lies elsewhere (core part, 20.4): a client that does more than look, or a request other than GET. */
export const changesElsewhere = (call: Call): boolean => actsAs(call, "cloud") || sendsChange(call);

/** The program is a client of this kind, and the call does more than look. */
export const actsAs = (call: Call, kind: ClientKind): boolean =>
  findClient(call.program)?.kind === kind && actsOutside(call);

/** The program is a known client, and its words do not say that it only looks. */
export function actsOutside(call: Call): boolean {
  const client = findClient(call.program);
  if (client === undefined) return false;
  const texts = call.operands.map((word) => word.text).filter((text) => text !== "");
  // What is handed over may be the verb.
  if (call.simple.under.some((by) => by === "xargs" || by === "parallel")) return true;
  if (call.words.length > 0 && call.words.every((word) => /^(--help|-h|--version|-v|-V|version|help)$/.test(word)))
    return false;
  if (call.program.startsWith("ansible")) return !onlyChecks(call);
  if (showsSecret(call, texts)) return true;
  if (client.grouped === true) return texts.length > 0 && !looksGrouped(client, call, texts);
  if (texts.length === 0) return client.acts === true;
  if (call.program === "gh" && texts[0] === "api") return writesApi(call);
  return !looks(client, call, texts);
}

function looks(client: ClientProgram, call: Call, texts: readonly string[]): boolean {
  if (call.words.some((word) => /^--?(migrate-state|force-copy)/.test(word))) return false;
  return client.looks?.test(withoutValues(client, call, texts).join(" ")) === true;
}

/** Looks whose answer is a secret itself. */
function showsSecret(call: Call, texts: readonly string[]): boolean {
  if (call.words.some((word) => /^--(show-token|show-secrets?|raw|reveal|with-decryption)(=|$)/.test(word)))
    return true;
  if (/^(kubectl|oc|k)$/.test(call.program))
    return texts[0] === "get" && texts.some((text) => /(^|,)secrets?([/,.]|$)/.test(text));
  if (call.program === "gh") return texts[0] === "auth" && hasFlag(call, "-t", "--show-token");
  return (
    findClient(call.program)?.grouped === true &&
    texts.some((text) => /^(secrets?|keys|credentials?|connection-strings?)$/.test(text))
  );
}

const onlyChecks = (call: Call) => hasFlag(call, "--syntax-check", "--list-hosts", "--list-tasks", "--list-tags");

/** Long options of clients whose value stands in the next word. */
const VALUED =
  /^--(namespace|context|kubeconfig|repo|chdir|stack|cwd|app|project|profile|region|cluster|output|filename|selector|kube-context|token|scope|host|config|log-level|project-name|project-directory|env-file|filter|format|file)$/;

/** The sub-command and its operands, without what options before them take. */
function withoutValues({ before }: ClientProgram, call: Call, texts: readonly string[]): readonly string[] {
  const takes = (word: string) => VALUED.test(word) || before?.test(word) === true;
  const taken = new Set(call.words.flatMap((word, index) => (takes(word) ? [call.words[index + 1]] : [])));
  const left = texts.filter((text) => !taken.has(text));
  return left.length === 0 ? texts : left;
}

function looksGrouped(client: ClientProgram, call: Call, all: readonly string[]): boolean {
  const texts = withoutValues(client, call, all);
  if (texts.some((text) => GIVES_SECRET.test(text))) return false;
  if (texts[0] === "s3" && /^(cp|sync|mv)$/.test(texts[1] ?? ""))
    return texts[1] !== "mv" && !/^s3:/.test(texts.at(-1) ?? "s3:");
  const looking = texts.findIndex(
    (text, index) => (index > 0 || texts.length === 1 || /^(version|info|help)$/.test(text)) && LOOKING_VERB.test(text),
  );
  const changing = texts.findIndex((text) => CHANGING_VERB.test(text) && !/^(run|functions)$/.test(text));
  const configured =
    texts[0] === "configure" &&
    /^(list|get|list-profiles)$/.test(texts[1] ?? "") &&
    !/secret|token|key/.test(texts[2] ?? "");
  return configured || (looking !== -1 && (changing === -1 || looking < changing));
}

/** `gh api` asks with GET unless another method or fields are given. */
const writesApi = (call: Call): boolean =>
  call.words.some((word, index) => {
    const method = /^(-X|--method)$/.test(word)
      ? (call.words[index + 1] ?? "")
      : (/^(?:-X|--method=)(.+)$/.exec(word)?.[1] ?? "");
    return (
      (method !== "" && !/^(GET|HEAD)$/i.test(method)) ||
      word === "graphql" ||
      /^(-f|-F|--field|--raw-field|--input)/.test(word)
    );
  });

const LOCAL =
  /^(https?:\/\/)?([^/@]*@)?(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|host\.docker\.internal)([:/?#]|$)|^:\d+/i;

/** A request other than GET, to another machine. */
function sendsChange(call: Call): boolean {
  if (!/^(curl|wget|http|https|xh|curlie)$/.test(call.program)) return false;
  const { words } = call;
  const targets = call.operands
    .map((word) => word.text)
    .filter((text) => /^[a-z]+:\/\/|^[\w.-]+\.[a-z]{2,}([:/]|$)|^localhost|^:\d+|^\d+\.\d+\./i.test(text));
  if (targets.length > 0 && targets.every((text) => LOCAL.test(text))) return false;
  const method = words.flatMap((word, index) =>
    /^(-X|--request|--method)$/.test(word)
      ? [words[index + 1] ?? ""]
      : (/^(?:-[a-zA-Z]*X|--request=|--method=)(\w+)$/.exec(word)?.slice(1) ?? []),
  );
  if (method.some((one) => !/^(GET|HEAD|OPTIONS)$/i.test(one))) return true;
  if (/^(http|https|xh|curlie)$/.test(call.program))
    return call.operands.some(
      (word) => /^(POST|PUT|PATCH|DELETE)$/i.test(word.text) || /^[\w[\]-]+(:?=)[^=]/.test(word.text),
    );
  const asQuery = words.some((word) => /^(-[a-zA-Z]*G|--get)$/.test(word));
  if (call.program === "curl")
    return (
      !asQuery &&
      words.some(
        (word) =>
          /^(-[sSkLfvi]*d|--data(-\w+)?|--json|-[sSkLfvi]*F|--form(-string)?)(=|$)|^-[sSkLfvi]*[dF]./.test(word) &&
          !/^--data-urlencode-get/.test(word),
      )
    );
  return words.some((word) => /^--(post|body|method)/.test(word));
}
