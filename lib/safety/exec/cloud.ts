import { realTarget } from "../paths.js";
import { type Call, type ExecScope, hasFlag, operandPath } from "./operands.js";
import { isInsideScope } from "./secrets.js";

/** The program is a client whose calls are either changes or looks. */
export const isCloudClient = (program: string): boolean =>
  GROUPED.test(program) || Object.hasOwn(SAME, program) || Object.hasOwn(LOOKS, program);

/** Words that only look, by client. A call of a client that begins with none of them changes what lies elsewhere. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  terraform: /^(plan|validate|fmt|show|output|version|providers|graph|init|get|test|workspace (list|show)|state (list|show)|metadata)\b/,
  pulumi: /^(preview|about|logs|whoami|version|stack( (ls|output|history|graph))?|config( get)?|plugin ls|schema)$|^(preview|logs)\b/,
  kubectl:
    /^(get|describe|logs|top|explain|version|api-resources|api-versions|cluster-info|diff|wait|events|kustomize|auth (can-i|whoami)|config (view|get-\S+|current-context)|rollout (status|history))\b/,
  helm: /^(list|ls|status|get|history|hist|show|inspect|search|template|lint|version|env|verify|dependency (list|build|update)|dep (list|build|update)|repo (list|update)|create|package)\b/,
  gh: /^((pr|issue|repo|run|release|workflow|gist|label|ruleset|project|cache|variable|secret|extension|codespace) (view|list|ls|status|diff|checks|watch|download|checkout|clone|item-list|field-list)|auth status|search|status|browse|help|version|completion|alias list|config (get|list)|attestation verify)\b/,
  glab: /^((mr|issue|repo|ci|release|pipeline|job|label|variable|snippet) (view|list|ls|status|diff|trace|get|clone|checkout|lint|download)|auth status|version|help|check-update)\b/,
  heroku:
    /^(apps|apps:info|logs|ps|releases|status|version|help|regions|stack|buildpacks|domains|addons|config:get|git:remote|local\S*|auth:whoami)\b/,
  fly: /^(status|logs|apps list|version|info|releases|regions list|platform|config (show|validate)|doctor|services list|machines? (list|status)|scale show|volumes list|auth whoami|image show)\b/,
  vercel: /^(ls|list|inspect|logs|whoami|env ls|dev|build|domains ls|project ls|teams ls|help|pull)\b/,
  netlify: /^(status|dev|build|sites:list|functions:(list|serve|invoke)|env:(list|get)|help|logs\S*|serve)\b/,
  wrangler:
    /^(dev|tail|whoami|types|deployments (list|status)|versions (list|view)|docs|check|init|kv namespace list|d1 list|r2 bucket list|pages dev)\b/,
  firebase: /^(emulators:\S+|serve|projects:list|apps:list|hosting:channel:list|help|login:list|functions:log)\b/,
  doctl: /^(version|account get|auth list|help)\b|^(\S+ ){1,3}(list|get|ls|logs)\b/,
  serverless: /^(package|offline|info|print|help|logs|metrics)\b/,
  cdk: /^(synth|synthesize|diff|ls|list|doctor|docs|init|metadata|notices)\b/,
  sam: /^(build|validate|local|init|logs|docs)\b/,
  gsutil: /^(ls|cat|stat|du|version|hash|help)\b/,
  s3cmd: /^(ls|info|get|du|la)\b/,
  rclone: /^(ls|lsd|lsl|lsf|lsjson|size|cat|check|version|about|tree|listremotes|md5sum|sha1sum|help)\b/,
  vagrant: /^(status|global-status|version|validate|ssh-config|port|box list|help)\b/,
  packer: /^(validate|fmt|inspect|version|init|console)\b/,
  ansible: /^$/,
  consul: /^(members|info|version|kv get|catalog|monitor|validate)\b/,
  nomad: /^(status|version|job (status|inspect|plan|validate)|node status|alloc (status|logs)|validate|plan)\b/,
  vault: /^(status|version|list|token lookup)\b/,
  argocd: /^(version|app (list|get|diff|history|logs|manifests)|cluster list|proj list|repo list)\b/,
  flux: /^(get|check|version|logs|diff|export|tree|events|stats)\b/,
  supabase: /^(start|status|db (diff|lint)|migration (list|new)|gen|functions serve|projects list|help)\b/,
  stripe: /^(listen|logs|version|help|config --list|\S+ (list|retrieve))\b/,
};

const SAME: Readonly<Record<string, string>> = {
  tofu: "terraform",
  terragrunt: "terraform",
  oc: "kubectl",
  k: "kubectl",
  flyctl: "fly",
  sls: "serverless",
  "ansible-playbook": "ansible",
  "ansible-pull": "ansible",
  "ansible-console": "ansible",
};

/** Clients whose verb stands behind the names of groups. */
const GROUPED = /^(aws|gcloud|az|bq|oci|ibmcloud|openstack|linode-cli|hcloud|scw|eksctl|railway|render|pscale|aliyun|tccli|b2|mc|civo)$/;
const LOOKING_VERB =
  /^(describe|describe-\S+|list|list-\S+|ls|get|get-\S+|head-\S+|show|info|version|help|lookup-\S+|search\S*|batch-get-\S+|query|scan|filter-log-events|wait|logs|tail|status|read|get-value|whoami|stat|du|cat|print-access-scopes|select)$/;
const CHANGING_VERB =
  /^(create|delete|update|put|set|add|remove|rm|rb|mb|mv|cp|sync|run|start|stop|restart|deploy|attach|detach|modify|enable|disable|terminate|reboot|import|export|import|copy|move|register|deregister|invoke|publish|send|assign|grant|revoke|patch|apply|destroy|resize|scale|ssh|scp|login|logout|submit|execute|call|connect|reset|restore|rotate|tag|untag|associate|disassociate|authorize|configure|presign|upload|load|insert|mk|extract|undelete|purge|cancel|promote|rollback|failover|replace|migrate|configure|up|down|link|unlink)(-\S+)?$/;
/** Answers that are secrets themselves. */
const GIVES_SECRET =
  /^(get-secret-value|get-session-token|get-login-password|get-federation-token|print-access-token|print-identity-token|get-access-token|get-credentials|list-keys|get-authorization-token|get-password-data)$/;

/** The call changes or deletes what lies elsewhere, or starts a container that reaches the machine (core part, 20.4). */
export function changesElsewhere(call: Call, scope: ExecScope): boolean {
  if (/^(docker|podman|nerdctl|docker-compose)$/.test(call.program)) return reachesHost(call, scope);
  if (/^(curl|wget|http|https|xh|curlie)$/.test(call.program)) return sendsChange(call);
  const texts = call.operands.map((word) => word.text).filter((text) => text !== "");
  const asks = call.words.every((word) => /^(--help|-h|--version|-v|version|help)$/.test(word));
  if (GROUPED.test(call.program)) return !asks && !looksGrouped(call, texts);
  const name = SAME[call.program] ?? call.program;
  if (isCloudClient(call.program) && call.simple.under.some((by) => by === "xargs" || by === "parallel")) return true;
  if (name === "terraform" && call.words.some((word) => /^--?(migrate-state|force-copy)/.test(word))) return true;
  if (name === "kubectl" && texts[0] === "get" && texts.some((text) => /^secrets?(\/|$)/.test(text))) return true;
  const looks = Object.hasOwn(LOOKS, name) ? LOOKS[name] : undefined;
  if (looks === undefined || asks || texts.length === 0) return looks !== undefined && name === "ansible" && !asks && !onlyChecks(call);
  if (name === "ansible") return !onlyChecks(call);
  if (name === "gh" && texts[0] === "api") return writesApi(call);
  return !looks.test(withoutValues(call, texts).join(" "));
}

const onlyChecks = (call: Call) => hasFlag(call, "--syntax-check", "--list-hosts", "--list-tasks", "--list-tags");

/** Options of clients whose value stands in the next word, before the verb. */
const VALUED =
  /^(-n|--namespace|--context|--kubeconfig|-R|--repo|--chdir|-chdir|-s|--stack|-C|--cwd|-a|--app|--project|--profile|--region|--cluster|-o|--output|-f|--filename|-l|--selector|--kube-context|-t|--token|--scope)$/;

function withoutValues(call: Call, texts: readonly string[]): readonly string[] {
  const taken = new Set(call.words.flatMap((word, index) => (VALUED.test(word) ? [call.words[index + 1]] : [])));
  const left = texts.filter((text) => !taken.has(text));
  return left.length === 0 ? texts : left;
}

function looksGrouped(call: Call, all: readonly string[]): boolean {
  const texts = withoutValues(call, all);
  if (texts.some((text) => GIVES_SECRET.test(text)) || call.words.some((word) => word.startsWith("--with-decryption"))) return false;
  if (texts[0] === "s3" && /^(cp|sync|mv)$/.test(texts[1] ?? "")) return texts[1] !== "mv" && !/^s3:/.test(texts.at(-1) ?? "s3:");
  const looking = texts.findIndex(
    (text, index) => (index > 0 || texts.length === 1 || /^(version|info|help)$/.test(text)) && LOOKING_VERB.test(text),
  );
  const changing = texts.findIndex((text) => CHANGING_VERB.test(text) && !/^(run|functions)$/.test(text));
  const configured = texts[0] === "configure" && /^(list|get|list-profiles)$/.test(texts[1] ?? "");
  return configured || (looking !== -1 && (changing === -1 || looking < changing));
}

/** `gh api` asks with GET unless it is told otherwise, or given fields. */
const writesApi = (call: Call): boolean =>
  call.words.some((word, index) => {
    const method = /^(-X|--method)$/.test(word) ? (call.words[index + 1] ?? "") : (/^(?:-X|--method=)(.+)$/.exec(word)?.[1] ?? "");
    return (method !== "" && !/^(GET|HEAD)$/i.test(method)) || word === "graphql" || /^(-f|-F|--field|--raw-field|--input)/.test(word);
  });

const LOCAL = /^(https?:\/\/)?([^/@]*@)?(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|host\.docker\.internal)([:/?#]|$)|^:\d+/i;

/** A request that is no GET, to another machine. */
function sendsChange(call: Call): boolean {
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
    return call.operands.some((word) => /^(POST|PUT|PATCH|DELETE)$/i.test(word.text) || /^[\w[\]-]+(:?=)[^=]/.test(word.text));
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

/** Options by which a container reaches the machine itself. */
const HOST_OPTION =
  /^--(privileged|pid=host|net=host|network=host|ipc=host|uts=host|userns=host|cap-add.*|device.*|security-opt.*|volumes-from.*|cgroupns=host)$/;
const HOST_VALUE = /^--(pid|net|network|ipc|uts|userns|cgroupns)$/;

function reachesHost(call: Call, scope: ExecScope): boolean {
  const { words } = call;
  if (!words.some((word) => /^(run|create|exec|up)$/.test(word))) return false;
  if (words.some((word, index) => HOST_OPTION.test(word) || (HOST_VALUE.test(word) && words[index + 1] === "host"))) return true;
  return words.some((word, index) => {
    const joined = /^(?:-v|--volume=|--mount=)(.+)$/.exec(word)?.[1];
    const value = joined ?? (/^(-v|--volume|--mount)$/.test(word) ? words[index + 1] : undefined);
    return value !== undefined && mountsOutside(value, call, scope);
  });
}

function mountsOutside(value: string, call: Call, scope: ExecScope): boolean {
  const named = /(?:^|,)(?:source|src)=([^,]*)/.exec(value)?.[1];
  const source = named ?? (/(^|,)type=/.test(value) ? "" : (value.split(":", 1)[0] ?? ""));
  // A volume by name is the engine's own.
  if (!/^[/.~]/.test(source)) return false;
  if (source.startsWith("~")) return true;
  const path = operandPath(source, call.simple.cwd);
  return path === undefined || !isInsideScope(realTarget(path) ?? path, scope) || /\.sock$/.test(path);
}
