import type { SkillFinding, SkillRule } from "../../contracts/skills/guard.js";

/**
 * What one line must hold to be found: all patterns, in any order. Their gaps are short, so that a strange line costs little more than an
 * ordinary one.
 */
export interface LineRule {
  readonly rule: SkillRule;
  readonly severity: SkillFinding["severity"];
  readonly what: string;
  /** One of these words is in the line, in small letters; without them the patterns are not tested. */
  readonly hints: readonly string[];
  readonly all: readonly RegExp[];
  /** A sentence may go on in the next line. */
  readonly prose?: true;
}

/** Programs and calls that send. */
const SENDS =
  /\b(?:curl|wget|ncat|nc|socat|scp|sftp|rsync|ftp|telnet|invoke-webrequest|invoke-restmethod|iwr)\b|\brequests\.(?:post|put|get|patch)\b|\burllib\b|\bhttpx?\.(?:post|put|get|request)\b|\bfetch\s?\(|\baxios\b|\bxmlhttprequest\b|\bsendbeacon\b|\/dev\/(?:tcp|udp)\//i;
const SENDS_HINTS = [
  "curl",
  "wget",
  "ncat",
  "nc ",
  "socat",
  "scp",
  "sftp",
  "rsync",
  "ftp",
  "telnet",
  "invoke-",
  "iwr",
  "requests.",
  "urllib",
  "http.",
  "httpx.",
  "fetch",
  "axios",
  "xmlhttprequest",
  "sendbeacon",
  "/dev/tcp",
  "/dev/udp",
];
/** Files that hold credentials and nothing else. */
const CREDENTIALS =
  /\bid_(?:rsa|dsa|ecdsa|ed25519)\b(?!\.pub)|\.ssh\/?(?:[\s"'`*;|)]|$)|\.aws\/(?:credentials|config)|\.netrc\b|\.pgpass\b|\.git-credentials\b|\.gnupg\b|\.kube\/config|\.docker\/config\.json|\.config\/(?:gh|gcloud)\b|\/etc\/shadow\b|\bauth\.json\b|\.npmrc\b|\.pypirc\b|Library\/Keychains|\bLogin Data\b|\bcookies\.sqlite\b|\bwallet\.dat\b|\bmcp-tokens\b|\.agent\/\.env\b/i;
const CREDENTIALS_HINTS = [
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  ".ssh",
  ".aws/",
  "netrc",
  ".pgpass",
  ".git-credentials",
  ".gnupg",
  ".kube/config",
  ".docker/config",
  ".config/g",
  "/etc/shadow",
  "auth.json",
  ".npmrc",
  ".pypirc",
  "keychains",
  "login data",
  "cookies.sqlite",
  "wallet.dat",
  "mcp-tokens",
  ".agent/.env",
];
const READS =
  /\b(?:cat|less|more|head|tail|base64|xxd|od|strings|grep|cp|tar|zip|gzip|openssl|read|open|readfile|readfilesync|read_text|copy|get-content|upload|send|post|print|include|exfiltrate|dump)\b/i;
const SHELL_PIPE =
  /\|\s?(?:sudo\s)?(?:\/usr\/bin\/env\s|\/bin\/|\/usr\/bin\/)?(?:(?:ba|z|da|k|fi)?sh|python\d?|node|perl|ruby|php)\b/i;
const ANY_URL = /https?:\/\//i;
/** What belongs to the user and is private. */
const PRIVATE =
  /\b(?:environment\s+variables?|env\s+vars?|conversation|chat\s+history|memor(?:y|ies)|system\s+prompt|ssh\s+keys?|private\s+keys?|credentials?|passwords?|secrets?|api\s+keys?|access\s+tokens?|cookies|browser\s+history|home\s+directory|source\s+code|files\s+of\s+the\s+(?:user|project))\b/i;

const exfiltration: readonly LineRule[] = [
  {
    rule: "exfiltration",
    severity: "dangerous",
    what: "reads credentials and sends",
    hints: CREDENTIALS_HINTS,
    all: [CREDENTIALS, SENDS],
  },
  {
    rule: "exfiltration",
    severity: "dangerous",
    what: "reads credentials",
    hints: CREDENTIALS_HINTS,
    all: [CREDENTIALS, READS, /^(?!.*\b(?:never|don't|do\s+not|must\s+not|avoid)\b)/i],
  },
  {
    rule: "exfiltration",
    severity: "note",
    what: "names files of credentials",
    hints: CREDENTIALS_HINTS,
    all: [CREDENTIALS],
  },
  {
    rule: "exfiltration",
    severity: "dangerous",
    what: "sends the environment",
    hints: ["env", "environ"],
    all: [
      SENDS,
      /\$\((?:print)?env\b|`(?:print)?env\b|(?:^|[|;&\s])(?:print)?env\s?\||\/proc\/(?:self|\d+)\/environ|\bjson\.(?:stringify|dumps)\s?\(\s?(?:dict\s?\(\s?)?(?:process\.env|os\.environ)\b|(?:data|json|params|body)\s?[=:]\s?(?:dict\s?\(\s?)?(?:process\.env|os\.environ)\b(?!\s?[.[])/i,
    ],
  },
  {
    rule: "exfiltration",
    severity: "dangerous",
    what: "sends a secret of the environment",
    hints: SENDS_HINTS,
    all: [
      /\b(?:curl|wget|ncat|nc|invoke-webrequest|invoke-restmethod)\b/i,
      /(?:-d|--data[\w-]*|-F|--form|-T|--post-data|[?&][\w-]+=|<<<|\becho\b)[^|;]{0,60}\$(?:\{|env:)?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)/i,
    ],
  },
  {
    rule: "exfiltration",
    severity: "dangerous",
    what: "puts the output of a command into an address",
    hints: SENDS_HINTS,
    all: [SENDS, /https?:\/\/[^\s"']{0,200}\$\((?!date\b)/i],
  },
  {
    rule: "exfiltration",
    severity: "dangerous",
    what: "sends data in the names that it looks up",
    hints: ["dig ", "nslookup", "host ", "ping "],
    all: [/\b(?:dig|nslookup|host|ping)\b[^|;]{0,60}\$\(/i],
  },
  {
    rule: "exfiltration",
    severity: "dangerous",
    what: "opens a shell to another machine",
    hints: ["/dev/tcp", "/dev/udp", "nc ", "ncat", "socat", "pty.spawn", "socket"],
    all: [
      /\b(?:ba)?sh\s+-i\b[^\n]{0,40}\/dev\/(?:tcp|udp)\/|\b(?:nc|ncat)\b[^\n|;]{0,60}\s-\w{0,4}[ec]\b\s?\S{0,20}sh\b|\bsocat\b[^\n]{0,100}\bexec:|\bpty\.spawn\b|\bos\.dup2\s?\(\s?s\.fileno/i,
    ],
  },
  {
    rule: "exfiltration",
    severity: "caution",
    what: "uploads a file or the output of a command",
    hints: ["curl", "wget"],
    all: [
      /\b(?:curl|wget)\b/i,
      /(?:-d|--data[\w-]*|-F|--form|-T|--upload-file|--post-file)[=\s]?["']?\S{0,40}(?:@|\$\(|`|~\/)/i,
    ],
  },
  {
    rule: "exfiltration",
    severity: "caution",
    what: "names a service that collects what is sent to it",
    hints: [
      "webhook.site",
      "requestbin",
      "pipedream.net",
      "burpcollaborator",
      "interact.sh",
      "oast.",
      "transfer.sh",
      "0x0.st",
      "/api/webhooks/",
      "/bot",
      "beeceptor",
      "hookb.in",
    ],
    all: [
      /\b(?:webhook\.site|requestbin|pipedream\.net|burpcollaborator|interact\.sh|oast\.(?:fun|pro|live|site|me|online)|transfer\.sh|0x0\.st|hookb\.in|beeceptor)\b|\/api\/webhooks\/\d|\bapi\.\w+\.org\/bot\d/i,
    ],
  },
  {
    rule: "exfiltration",
    severity: "dangerous",
    what: "asks for data of the user to be sent away",
    hints: [
      "send",
      "upload",
      "post",
      "forward",
      "exfiltrate",
      "transmit",
      "report",
      "leak",
      "email",
      "include",
      "append",
    ],
    all: [
      /\b(?:send|upload|post|forward|exfiltrate|transmit|leak|e-?mail|include|append)\b/i,
      /\b(?:your|the\s+user'?s|user'?s|all|every|any|full|whole|entire|local|their)\b[^.]{0,30}\b(?:environment\s+variables?|env\s+vars?|conversation|chat\s+history|memor(?:y|ies)|system\s+prompt|ssh\s+keys?|private\s+keys?|passwords?|secrets|credentials|browser\s+history|cookies)\b/i,
      ANY_URL,
    ],
    prose: true,
  },
  {
    rule: "exfiltration",
    severity: "caution",
    what: "speaks of sending private data",
    hints: ["exfiltrate", "upload", "forward", "transmit", "send", "leak"],
    all: [
      /\b(?:exfiltrate|upload|forward|transmit|send|leak)s?\b[^.]{0,40}\b(?:all|every|your|the\s+user'?s)\b/i,
      PRIVATE,
      /^(?!.*\b(?:never|don't|do\s+not|must\s+not|avoid)\b)/i,
    ],
    prose: true,
  },
  {
    rule: "exfiltration",
    severity: "caution",
    what: "shows a picture whose address carries data",
    hints: ["!["],
    all: [/!\[[^\]]{0,80}\]\(https?:\/\/[^)\s]{0,120}[?&][^)\s]{0,60}(?:\{\{|\$\{|<[a-z_ ]{2,40}>|\[[a-z_ ]{2,40}\])/i],
  },
];

const promptOverride: readonly LineRule[] = [
  {
    rule: "prompt-override",
    severity: "dangerous",
    what: "holds marks of a conversation's own form",
    hints: ["<|im_", "[inst]", "[/inst]", "<|system", "<|assistant", "<|user", "</system", "<<sys>>"],
    all: [/<\|(?:im_(?:start|end)|system|assistant|user)|\[\/?INST\]|<\/system(?:_prompt|-reminder)?\s?>|<<\/?SYS>>/i],
  },
  {
    rule: "prompt-override",
    severity: "dangerous",
    what: "wants something kept from the user",
    hints: ["not ", "never", "n't", "without", "hide", "secretly", "silently", "conceal"],
    all: [
      /\b(?:do\s+not|don't|never|must\s+not|without)\s+(?:ever\s+)?(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|show|showing|disclose|disclosing|let)\b[^.]{0,30}\b(?:user|human|operator|owner|anyone|anybody|this|them)\b|\b(?:hide|conceal)\b[^.]{0,40}\bfrom\s+the\s+(?:user|human|operator)\b|\bsecretly\b[^.]{0,60}\b(?:run|send|execute|install|write|add|copy|read|upload)\b/i,
    ],
    prose: true,
  },
  {
    rule: "prompt-override",
    severity: "caution",
    what: "asks to pass over questions and approvals",
    hints: ["approv", "confirm", "permission", "sandbox", "guard", "yolo", "asking", "consent", "safety"],
    all: [
      /\b(?:skip|bypass|disable|turn\s+off|switch\s+off|ignore|avoid|suppress|circumvent)\b[^.]{0,30}\b(?:approvals?|confirmations?|permissions?|sandbox|safety|guards?|guardrails?|consent|prompts?)\b|\bwithout\s+(?:asking|approval|confirmation|permission|consent)\b|--yolo\b|--dangerously-skip-permissions\b|\bauto-?approve\b/i,
    ],
    prose: true,
  },
  {
    rule: "prompt-override",
    severity: "dangerous",
    what: "takes the model out of its rules",
    hints: ["you are", "unrestricted", "jailbr", "developer mode", "no longer", "act as", "pretend", "no restrictions"],
    all: [
      /\byou\s+are\s+(?:now\s+)?(?:no\s+longer\s+(?:bound|restricted|limited|subject|required)|an?\s+unrestricted|dan\b|in\s+(?:developer|god|jailbreak|admin(?:istrator)?|root)\s+mode|free\s+(?:of|from))|\bjailbr(?:eak|oken)\b[^.]{0,20}\b(?:mode|yourself|prompt)\b|\b(?:act|pretend|behave|respond)\b[^.]{0,30}\b(?:no|without)\s+(?:any\s+)?(?:restrictions|rules|limits|filters|guidelines|safety)\b/i,
    ],
    prose: true,
  },
  {
    rule: "prompt-override",
    severity: "caution",
    what: "wants to be run at once when it is installed or read",
    hints: ["install", "loaded", "viewed", "reading this", "opened"],
    all: [
      /\b(?:when|once|as\s+soon\s+as|immediately|upon|on|at|during|the\s+moment)\b[^.]{0,40}\b(?:this\s+)?(?:skill|file)\b[^.]{0,30}\b(?:installed|loaded|viewed|opened|read|installation)\b|\b(?:upon|after|before|while|by)\s+reading\s+this\b|\b(?:at|during|on)\s+install(?:ation)?\s+time\b/i,
      /\b(?:run|execute|invoke|start|fetch|download|call|send|write|must|immediately|automatically)\b/i,
    ],
    prose: true,
  },
  {
    rule: "prompt-override",
    severity: "caution",
    what: "claims to speak for the system or its makers",
    hints: ["system", "developer", "admin", "maintainer"],
    all: [
      /^\s*(?:#{1,6}\s+|\*{2})?\[?(?:system|developer|admin(?:istrator)?)\s?(?:message|notice|override|prompt|instructions?|note)\]?\s?(?::|\*{2})/i,
    ],
  },
];

const destructive: readonly LineRule[] = [
  {
    rule: "destructive",
    severity: "dangerous",
    what: "removes the home directory or the system",
    hints: ["rm ", "rmtree", "remove-item", "rmsync", "rimraf", "del /", "rd /", "fs.rm", "fs.rmdir"],
    all: [
      /\brm\s+(?:-{1,2}[\w-]+\s+){1,6}["']?(?:\/|~|\$\{?HOME\}?|\/\*|~\/\*|\$\{?HOME\}?\/\*|\/(?:home|etc|usr|var|root|Users|bin|boot|lib))\/?["']?(?:[\s;|&`)]|$)|\brm\b[^\n|;]{0,40}--no-preserve-root|\brmtree\s?\(\s?(?:["']\/["']|(?:os\.path\.)?expanduser\s?\(\s?["']~\/?["']|(?:pathlib\.)?path\.home\s?\(\s?\)\s?\)|os\.environ\[["']HOME)|\b(?:fs\.)?rm(?:dir)?sync?\s?\(\s?(?:["'`]\/["'`]|(?:os\.)?homedir\s?\(|process\.env\.HOME\b)|\bremove-item\b[^\n]{0,60}(?:[a-z]:\\(?:["'\s*]|$)|\$home\b|\$env:userprofile|~)|\b(?:rd|del)\s+\/s\b[^\n]{0,30}[a-z]:\\/i,
    ],
  },
  {
    rule: "destructive",
    severity: "dangerous",
    what: "overwrites a disk",
    hints: ["mkfs", "of=/dev", "/dev/sd", "/dev/nvme", "/dev/disk", "wipefs", "format c", "shred"],
    all: [
      /\bmkfs(?:\.\w+)?\s+(?:-\S+\s+){0,6}\/dev\/|\bdd\b[^\n]{0,80}\bof=\/dev\/(?:sd|hd|nvme|vd|xvd|mmcblk|r?disk|mapper)|>\s?\/dev\/(?:sd[a-z]|hd[a-z]|nvme\d|vd[a-z]|disk\d)|\bwipefs\s+-a|\bformat\s+c:|\bshred\b[^\n]{0,40}\/dev\//i,
    ],
  },
  {
    rule: "destructive",
    severity: "dangerous",
    what: "starts itself without end",
    hints: [":(){", ":() {", ": () {", "os.fork"],
    all: [/:\s?\(\s?\)\s?\{\s?:\s?\|\s?:\s?&|\bwhile\s+(?:true|1)\s?:\s?os\.fork\s?\(/i],
  },
  {
    rule: "destructive",
    severity: "dangerous",
    what: "destroys copies that undo damage",
    hints: ["vssadmin", "wbadmin", "tmutil", "bcdedit", ".curator_backups", "state-snapshots", "checkpoints"],
    all: [
      /\bvssadmin\s+delete\b|\bwbadmin\s+delete\b|\btmutil\s+(?:delete|disable)|\bbcdedit\b[^\n]{0,60}recoveryenabled\s+no|\b(?:rm|rmtree|delete|remove)\b[^\n]{0,60}(?:\.curator_backups|state-snapshots|\.agent\/(?:backups|checkpoints))/i,
    ],
  },
  {
    rule: "destructive",
    severity: "caution",
    what: "opens files to every user, or removes much",
    hints: ["chmod", "find ", "drop database", "drop schema", "killall", "kill -9 -1", "truncate", "rm -"],
    all: [
      /\bchmod\s+(?:-\w+\s+)*(?:777|a\+rwx|o\+w)\s+(?:\/|~|\$HOME)|\bfind\s+(?:\/|~|\$HOME)\s[^\n]{0,80}-delete\b|\bdrop\s+(?:database|schema)\b(?!\s+if\s+exists\s+test)|\bkill\s+-9\s+-1\b|\brm\s+-\w*r\w*\s+(?:\.\/)?\.git(?:\s|\/?$)/i,
    ],
  },
];

const persistence: readonly LineRule[] = [
  {
    rule: "persistence",
    severity: "dangerous",
    what: "adds a key or an account that lets others in",
    hints: ["authorized_keys", "sudoers", "useradd", "usermod", "visudo", "/etc/passwd", "ld.so.preload"],
    all: [
      /\bauthorized_keys\b|\/etc\/sudoers|\b(?:useradd|usermod|adduser)\b[^\n]{0,60}\b(?:sudo|wheel|root)\b|>>\s?\/etc\/passwd|\/etc\/ld\.so\.preload/i,
      />|\b(?:echo|cat|tee|cp|append|write|add|useradd|usermod|adduser|open|appendfile|put)\b/i,
    ],
  },
  {
    rule: "persistence",
    severity: "caution",
    what: "changes what starts with a shell",
    hints: ["rc", "profile", ".config/fish", "bash_login", "bash_aliases", ".zshenv"],
    all: [
      /(?:\.(?:bashrc|zshrc|zshenv|zprofile|bash_profile|profile|bash_login|bash_aliases|kshrc)|\.config\/fish\/|\/etc\/profile)\b/i,
      />>?|\b(?:tee|append|appendfile|appendfilesync|write|writefile|add|edit|sed\s+-i|cp|insert)\b/i,
    ],
  },
  {
    rule: "persistence",
    severity: "caution",
    what: "starts something again by itself",
    hints: [
      "crontab",
      "/etc/cron",
      "systemctl",
      "launchctl",
      "launchagents",
      "launchdaemons",
      "/etc/systemd",
      "systemd/user",
      "rc.local",
      "/etc/init.d",
      "schtasks",
      "currentversion\\run",
      "autostart",
      "at now",
    ],
    all: [
      /\bcrontab\b(?!\s+-l\b)|\/etc\/cron|\bsystemctl\b[^\n]{0,30}\benable\b|\blaunchctl\s+(?:load|bootstrap|enable)\b|\bLaunch(?:Agents|Daemons)\b|(?:\/etc\/systemd|systemd\/user)\/|\/etc\/rc\.local|\/etc\/init\.d\/|\bschtasks\b[^\n]{0,20}\/create|CurrentVersion\\+Run\b|\.config\/autostart|\bat\s+now\b/i,
    ],
  },
  {
    rule: "persistence",
    severity: "caution",
    what: "puts code where git or an installer runs it",
    hints: [
      ".git/hooks",
      "core.hookspath",
      "init.templatedir",
      "postinstall",
      "preinstall",
      "core.fsmonitor",
      "core.sshcommand",
    ],
    all: [
      /\.git\/hooks\/|\bcore\.(?:hookspath|fsmonitor|sshcommand|pager|editor)\b|\binit\.templatedir\b|["'](?:pre|post)?install["']\s?:\s?["']/i,
    ],
  },
  {
    rule: "persistence",
    severity: "dangerous",
    what: "changes the agent itself",
    hints: [".agent/", "agent_home"],
    all: [
      /(?:\.agent|AGENT_HOME\}?)\/(?:config\.yaml|permissions\.yaml|auth\.json|plugins|hooks|skills\/\.|SOUL\.md|memories|mcp|\.env|profile\.yaml|hook-consents)/i,
      />>?\s?\S|\b(?:append|write|edit|modify|overwrite|replace|tee|insert|patch|cp|mv)\b/i,
    ],
    prose: true,
  },
  {
    rule: "persistence",
    severity: "caution",
    what: "changes the character or the memory of the agent",
    hints: ["soul.md", "memory.md", "user.md"],
    all: [
      /\b(?:SOUL|MEMORY|USER)\.md\b/i,
      />>?\s?\S|\b(?:append|write|edit|modify|overwrite|replace|tee|insert|patch)\b/i,
    ],
    prose: true,
  },
  {
    rule: "persistence",
    severity: "caution",
    what: "writes instructions for later conversations",
    hints: ["agents.md", "claude.md", ".cursorrules", "copilot-instructions", "to memory", "your memory"],
    all: [
      /\b(?:AGENTS|CLAUDE|GEMINI)\.md\b|\.cursorrules\b|copilot-instructions|\b(?:to|in|into)\s+(?:your\s+|the\s+)?(?:long-term\s+|persistent\s+)?memory\b/i,
      />>?\s?\S*(?:AGENTS|CLAUDE)|\b(?:append|always\s+add|overwrite|inject|permanently|save|store|remember)\b/i,
      /\b(?:instructions?|rules?|always|every|future|permanently|append|>>|overwrite)/i,
    ],
    prose: true,
  },
];

const obfuscation: readonly LineRule[] = [
  {
    rule: "obfuscation",
    severity: "dangerous",
    what: "decodes a text and runs it",
    hints: [
      "base64",
      "b64decode",
      "atob",
      "xxd",
      "fromhex",
      "openssl",
      "rot13",
      "uudecode",
      "decompress",
      "marshal",
      "gunzip",
      "zcat",
      "rev",
      "tr ",
      "buffer.from",
    ],
    all: [
      /\bbase64\s+(?:-d|-D|--decode)\b|\b(?:b64decode|atob|fromhex|unhexlify)\s?\(|\bxxd\s+-\w*r|\bopenssl\s+(?:base64|enc)\b[^|]{0,30}-d|\brot_?13\b|\buudecode\b|\bzlib\.decompress|\bmarshal\.loads|\b(?:gunzip|zcat)\b|\|\s?rev\b|\|\s?tr\s|buffer\.from\s?\([^)]{0,400}["'](?:base64|hex)/i,
      /\|\s?(?:sudo\s)?(?:\/\S{1,20}\/)?(?:(?:ba|z|da|k)?sh|python\d?|node|perl|ruby)\b|\beval\b|\bexec\s?\(|\bnew\s+function\s?\(|\bfunction\s?\(\s?atob|\bos\.system\s?\(|\bsubprocess\b|\bbash\s+-c\b|\bsh\s+-c\b|<\(/i,
    ],
  },
  {
    rule: "obfuscation",
    severity: "dangerous",
    what: "runs an encoded command",
    hints: ["powershell", "pwsh"],
    all: [/\b(?:powershell|pwsh)(?:\.exe)?\b/i, /\s-e(?:nc|ncodedcommand|c)?\s+["']?[A-Za-z0-9+/=]{20}/i],
  },
  {
    rule: "obfuscation",
    severity: "caution",
    what: "downloads code and runs it",
    hints: ["curl", "wget", "iwr", "irm ", "invoke-web", "fetch", "urlopen", "requests.get"],
    all: [
      /\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|urlopen|requests\.get)\b/i,
      /\|\s?(?:sudo\s)?(?:-\w+\s)?(?:\/\S{1,20}\/)?(?:(?:ba|z|da|k|fi)?sh|python\d?|node|perl|ruby|php|iex)\b|\beval\b|\bexec\s?\(|<\(\s?(?:curl|wget)|\b(?:ba|z)?sh\s+-c\s+["']?\$\(|\bsource\s+<\(|\biex\b|\b(?:import|require)\s?\(\s?["']https?:/i,
    ],
  },
  {
    rule: "obfuscation",
    severity: "dangerous",
    what: "downloads code from an address without a name or without encryption, and runs it",
    hints: ["http://", "https://"],
    all: [
      /\b(?:curl|wget|iwr|irm)\b/i,
      SHELL_PIPE,
      /http:\/\/(?!(?:localhost|127\.0\.0\.1)\b)|https?:\/\/(?!127\.0\.0\.1)\d{1,3}(?:\.\d{1,3}){3}/i,
    ],
  },
  {
    rule: "obfuscation",
    severity: "caution",
    what: "spells its code in numbers or escapes",
    hints: ["\\x", "\\u00", "fromcharcode", "chr(", "$'\\"],
    all: [
      /(?:\\x[0-9a-f]{2}){12}|(?:\\u00[0-9a-f]{2}){12}|\bfromcharcode\s?\(\s?(?:\d{1,4}\s?,\s?){8}|(?:\bchr\s?\(\s?\d{1,4}\s?\)\s?[+.,]\s?){6}/i,
    ],
  },
  {
    rule: "obfuscation",
    severity: "caution",
    what: "hides which function it calls",
    hints: ["__import__", "getattr", "globals()", "process['", 'process["', "child_process", "require(["],
    all: [
      /\b__import__\s?\(\s?["'](?:os|subprocess|socket|ctypes)["']|\bgetattr\s?\(\s?(?:os|__builtins__|__import__)|\bglobals\s?\(\s?\)\s?\[|\brequire\s?\(\s?["']child_["']\s?\+|\bprocess\[["']/i,
    ],
  },
  {
    rule: "obfuscation",
    severity: "caution",
    what: "removes its traces",
    hints: ["history", "histfile", "/var/log", "shred", "wevtutil"],
    all: [
      /\bhistory\s+-c\b|\bunset\s+HISTFILE\b|\bHISTFILE=\/dev\/null|\bHISTSIZE=0\b|\b(?:rm|shred|truncate)\b[^\n]{0,40}(?:\.(?:bash|zsh)_history|\/var\/log)|\bwevtutil\s+cl\b/i,
    ],
  },
];

/** All rules of lines. */
export const LINE_RULES: readonly LineRule[] = [
  ...exfiltration,
  ...promptOverride,
  ...destructive,
  ...persistence,
  ...obfuscation,
];
