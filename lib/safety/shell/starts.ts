import { type Simple, UNKNOWN, type Word } from "../options/command-line.js";
import { isOneOf, readOptions } from "../options/read.js";
import { optionTable } from "../options/tables.js";
import type { GivenOption } from "../options/types.js";

/** Settings that change what git shows, records or compares; no value of theirs names a program or a file that git runs. */
const HARMLESS =
  /^(user\.(name|email|signingkey|useconfigonly)|author\.(name|email)|committer\.(name|email)|color\..*|column\..*|advice\..*|core\.(abbrev|autocrlf|eol|safecrlf|filemode|ignorecase|quotepath|precomposeunicode|symlinks|whitespace|compression|bigfilethreshold|preloadindex|untrackedcache|commentchar|longpaths|logallrefupdates|checkstat|trustctime|sparsecheckout|sparsecheckoutcone|multipackindex|commitgraph|fscache|protecthfs|protectntfs|warnambiguousrefs)|init\.defaultbranch|commit\.(gpgsign|verbose|cleanup|status)|tag\.(gpgsign|sort|forcesignannotated)|push\.(default|autosetupremote|followtags|gpgsign|recursesubmodules|useforceifincludes)|pull\.(rebase|ff|octopus|twohead)|fetch\.(prune|prunetags|all|parallel|recursesubmodules|writecommitgraph|output|negotiationalgorithm|unpacklimit|showforcedupdates)|rebase\.(autosquash|autostash|updaterefs|stat|abbreviatecommands|missingcommitscheck|forkpoint|rebasemerges|instructionformat)|merge\.(conflictstyle|ff|log|renamelimit|renames|directoryrenames|stat|autostash|verbosity|tool|guitool|defaulttoupstream|branchdesc)|diff\.(algorithm|colormoved\w*|context|interhunkcontext|mnemonicprefix|noprefix|renames|renamelimit|statgraphwidth|submodule|suppressblankempty|tool|guitool|wserrorhighlight|indentheuristic|wordregex|ignoresubmodules|dirstat|relative|orderfile|autorefreshindex|statnamewidth)|log\.(date|decorate|abbrevcommit|follow|graphcolors|showroot|showsignature|mailmap|excludedecoration|initialdecorationset|diffmerges)|status\..*|stash\.show\w*|branch\.(autosetupmerge|autosetuprebase|sort)|branch\..*\.(rebase|description|remote|merge|mergeoptions|pushremote)|blame\.(coloring|date|blankboundary|showemail|showroot|markunblamablelines|markignoredlines|ignorerevsfile)|grep\..*|format\.(pretty|signoff|suffix|numbered|coverletter|subjectprefix|thread|useautobase|from|to|cc|notes|encodeemailheaders)|gc\.(auto|autodetach|autopacklimit|pruneexpire|reflogexpire\w*|worktreepruneexpire|aggressive\w+|writecommitgraph|cruftpacks)|maintenance\.(auto|strategy)|pack\..*|index\..*|feature\..*|protocol\.version|http\.(postbuffer|sslverify|lowspeed\w+|version|followredirects|maxrequests|useragent|extraheader)|http\..*\.(sslverify|extraheader)|transfer\.\w+|receive\.(denycurrentbranch|denynonfastforwards|denydeletes|fsckobjects)|safe\.directory|rerere\.(enabled|autoupdate)|submodule\.(recurse|fetchjobs|active)|checkout\.(guess|defaultremote|workers|threshold\w+)|clone\.(defaultremotename|filtersubmodules|rejectshallow)|help\.(autocorrect|format)|i18n\..*|versionsort\..*|worktree\.guessremote|notes\.(displayref|mergestrategy|rewrite\w+)|showbranch\.default|clean\.requireforce|apply\.\w+|am\.\w+|cherry\.\w+|interactive\.singlekey|sequence\.\w*abort|add\.(ignoreerrors|interactive\.usebuiltin)|remote\.pushdefault|remote\..*\.(url|pushurl|fetch|push|prune|prunetags|tagopt|mirror|skipdefaultupdate|skipfetchall|promisor|partialclonefilter))$/i;
/** Settings that name a program, where a plain one only shows or edits text. */
const SHOWS = /^(core\.(pager|editor)|pager\..*|sequence\.editor|credential\.helper)$/i;
const PLAIN =
  /^(|true|false|\d+|cat|less|more|most|bat|delta|vi|vim|nvim|nano|emacs|ed|code|subl|cache|store|osxkeychain|manager|manager-core|libsecret|wincred)( (-[\w-]+|--[\w-]+))*$/;

/** Setting it makes git run nothing and read no other settings. */
const isHarmlessSetting = (key: string, value: string): boolean =>
  (HARMLESS.test(key) && !/^ext::/i.test(value) && !key.includes(UNKNOWN)) ||
  (SHOWS.test(key) && PLAIN.test(value)) ||
  (/^alias\./i.test(key) && /^[a-z][^!;|&$`(]*$/i.test(value));

const EXECUTES = [
  "--upload-pack",
  "--receive-pack",
  "--exec",
  "--extcmd",
  "--open-files-in-pager",
  "--config-env",
  "--to-cmd",
  "--cc-cmd",
  "--header-cmd",
  "--sendmail-cmd",
  "--exec-path",
  "--template",
] as const;

/** A call of git that stores what it will run later, or runs it at once; what it is called for the message. */
export function gitRuns(simple: Simple): string | undefined {
  const { options, operands } = readOptions(simple.words.slice(1), optionTable("git"));
  const [sub = "", ...rest] = operands.map((word) => word.text);
  const given = options.find((option) => executes(option, sub));
  if (given !== undefined) return `git ${given.names[0] ?? given.text} names what runs`;
  const set = options.find((option) => isOneOf(option, ["-c", "--config"]) && !isSetHarmlessly(option.value));
  if (
    set !== undefined &&
    !(
      set.text === "-c" &&
      /^(switch|commit|branch|blame|ls-files|help)$/.test(sub) &&
      isBehind(simple, set, operands[0])
    )
  )
    return `git takes the setting ${JSON.stringify((set.value?.text ?? "").split("=", 1)[0])} from the line`;
  if (sub === "config") return configRuns(options, rest);
  if (sub === "bisect" && rest[0] === "run") return "git bisect runs a command";
  return sub === "submodule" && rest.includes("foreach") ? "git runs a command in every submodule" : undefined;
}

function executes(option: GivenOption, sub: string): boolean {
  if (/^(show|log|diff|rev-parse|config)$/.test(sub) && isOneOf(option, ["--exec"])) return false;
  // `--exec-path` alone prints the directory; an abbreviation that is known to be another option names nothing.
  if (option.names.length === 1 && option.names[0] === "--exec-path" && option.value === undefined) return false;
  if (option.names.length === 1)
    return [...option.names, ...option.aliases].some((name) => isExecuting(name)) && sub !== "commit"; // its `--template` is a text
  return isOneOf(option, EXECUTES);
}

const isExecuting = (name: string): boolean => EXECUTES.some((one) => one === name);

/** `git switch -c x` makes a branch; before the subcommand the letter is a setting. */
function isBehind({ words }: Simple, { value }: GivenOption, sub: Word | undefined): boolean {
  return value === undefined || sub === undefined || words.indexOf(value) > words.indexOf(sub);
}

function isSetHarmlessly(value: Word | undefined): boolean {
  if (value === undefined) return true;
  const at = value.text.indexOf("=");
  const key = at === -1 ? value.text : value.text.slice(0, at);
  return isHarmlessSetting(key, at === -1 ? "true" : value.text.slice(at + 1));
}

const READS_CONFIG = [
  "--get",
  "--get-all",
  "--get-regexp",
  "--get-urlmatch",
  "--get-color",
  "--get-colorbool",
  "-l",
  "--list",
] as const;

function configRuns(options: readonly GivenOption[], rest: readonly string[]): string | undefined {
  if (options.some((option) => option.names.length === 1 && isOneOf(option, READS_CONFIG))) return undefined;
  const verb = /^(set|get|list|unset|rename-section|remove-section|edit|get-color)$/.test(rest[0] ?? "")
    ? rest[0]
    : undefined;
  if (verb === "get" || verb === "list" || verb === "get-color") return undefined;
  if (options.some((option) => isOneOf(option, ["-e", "--edit"])) || verb === "edit") return undefined;
  const changes =
    verb !== undefined ||
    options.some((option) =>
      isOneOf(option, ["--unset", "--unset-all", "--replace-all", "--add", "--rename-section", "--remove-section"]),
    );
  const [key = "", value] = verb === undefined ? rest : rest.slice(1);
  if (value === undefined && !changes) return undefined;
  const taken =
    verb === "rename-section" ||
    verb === "remove-section" ||
    options.some((option) => isOneOf(option, ["--rename-section", "--remove-section"]));
  if (taken) return `git changes the settings of ${key}`;
  return isHarmlessSetting(key, value ?? "") ? undefined : `git stores the setting ${key}`;
}
