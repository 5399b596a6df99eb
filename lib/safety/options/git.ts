import { toTable } from "./read.js";
import type { OptionTable } from "./types.js";

const DIFF = `-p/-u/--patch -s/--no-patch --output= --output-indicator-new= -U/--unified= --stat=? --numstat --shortstat --dirstat=? --summary
  --patch-with-stat -z --name-only --name-status --submodule=? --color=? --word-diff=? --word-diff-regex= --ext-diff --no-ext-diff --textconv
  --no-textconv --color-words=? -M/--find-renames=? -C/--find-copies=? -B/--break-rewrites=? -D/--irreversible-delete -l= -S= -G= -O= --diff-filter=
  --relative=? --no-index --cached --staged --merge-base --exit-code --quiet -a/--text -b/--ignore-space-change -w/--ignore-all-space -R
  --src-prefix= --dst-prefix= --no-prefix --inter-hunk-context= -W/--function-context --ignore-submodules=? --ws-error-highlight= --full-index
  --binary --abbrev=? --raw --minimal --patience --histogram --anchored= --diff-algorithm=`;
const LOG = `${DIFF} --follow --decorate=? --no-decorate --source -L= -n/--max-count= --skip= --since= --after= --until= --before= --author= --committer=
  --grep= -i -E -F -P --merges --no-merges --first-parent --all --branches=? --tags=? --remotes=? --glob= --exclude= --format= --pretty=?
  --oneline --graph --date= --show-signature --notes=? --reverse -g --walk-reflogs`;

/** Options of the subcommands of git, whose long options can be shortened too. */
const SUBS: Readonly<Record<string, OptionTable>> = {
  clone:
    toTable(`-v/--verbose -q/--quiet --progress -n/--no-checkout --bare --mirror -l/--local --no-hardlinks -s/--shared --recurse-submodules=?
    --recursive=? -j/--jobs= --template= --reference= --reference-if-able= --dissociate -o/--origin= -b/--branch= -u/--upload-pack= --depth=
    --shallow-since= --shallow-exclude= --single-branch --no-tags --shallow-submodules --separate-git-dir= -c/--config= --server-option= -4 -6
    --filter= --remote-submodules --sparse --bundle-uri=`),
  init: toTable(
    "--template= --bare --shared=? -q/--quiet --separate-git-dir= -b/--initial-branch= --object-format= --ref-format=",
  ),
  worktree: toTable(
    "-f/--force --detach --checkout --no-checkout --lock --reason= -b= -B= --orphan -q/--quiet --track --guess-remote -n/--dry-run -v --porcelain --expire= -z",
  ),
  archive: toTable(
    "-o/--output= --format= -v/--verbose -l/--list --prefix= --add-file= --add-virtual-file= --worktree-attributes --remote= --exec=",
  ),
  "format-patch":
    toTable(`${LOG} -o/--output-directory= --stdout -s/--signoff --start-number= --numbered --no-numbered -N --suffix= --attach=? --inline=?
    --thread=? --in-reply-to= --to= --cc= --from=? --cover-letter --subject-prefix= --rfc -v/--reroll-count= --signature= --signature-file= --base=
    --interdiff= --range-diff= -k --zero-commit`),
  bundle: toTable("-q/--quiet --progress --all-progress --version= --all --branches=? --tags=?"),
  config:
    toTable(`--global --system --local --worktree -f/--file= --blob= --get --get-all --get-regexp --get-urlmatch --replace-all --add --unset
    --unset-all --rename-section --remove-section -l/--list --fixed-value -e/--edit --get-color --get-colorbool -t/--type= --bool --int --bool-or-int
    --path --expiry-date -z/--null --name-only --includes --no-includes --show-origin --show-scope --default= --comment= --all --regexp --value= --url=`),
  diff: toTable(DIFF),
  log: toTable(LOG),
  show: toTable(LOG),
  "diff-tree": toTable(LOG),
  reset: toTable(
    "-q/--quiet --mixed --soft --hard --merge --keep -N/--intent-to-add -p/--patch --pathspec-from-file= --recurse-submodules=? --refresh",
  ),
  clean: toTable("-q/--quiet -n/--dry-run -f/--force -i/--interactive -d -e/--exclude= -x -X"),
  checkout:
    toTable(`-q/--quiet -b= -B= -l --progress -f/--force -t/--track=? --no-track --orphan= -2/--ours -3/--theirs -m/--merge --conflict= -p/--patch
    --detach -d --guess --ignore-other-worktrees --overlay --no-overlay --pathspec-from-file= --recurse-submodules=? --ignore-skip-worktree-bits`),
  restore:
    toTable(`-s/--source= -S/--staged -W/--worktree -p/--patch -q/--quiet --progress --ours --theirs -m/--merge --conflict= --ignore-unmerged
    --overlay --no-overlay --pathspec-from-file= --recurse-submodules`),
  switch: toTable(
    "-c/--create= -C/--force-create= -d/--detach -f/--force --discard-changes -m/--merge --conflict= -q/--quiet -t/--track=? --no-track --orphan= --guess",
  ),
  branch:
    toTable(`-v/--verbose -q/--quiet -t/--track=? --no-track -u/--set-upstream-to= --unset-upstream --color=? -r/--remotes --contains= --no-contains=
    --abbrev=? -a/--all -d/--delete -D -m/--move -M -c/--copy -C -l/--list --show-current --create-reflog --edit-description -f/--force --merged=
    --no-merged= --column=? --sort= --points-at= -i --format=`),
  push: toTable(`-v/--verbose -q/--quiet --repo= --all --branches --mirror -d/--delete --tags -n/--dry-run --porcelain -f/--force --force-with-lease=?
    --force-if-includes --recurse-submodules= --thin --receive-pack= --exec= -u/--set-upstream --progress --prune --no-verify --follow-tags --signed=?
    --atomic -o/--push-option= -4 -6`),
  tag: toTable(`-l/--list -n=? -d/--delete -v/--verify -a/--annotate -m/--message= -F/--file= -e/--edit -s/--sign --cleanup= -u/--local-user= -f/--force
    --create-reflog --column=? --contains= --no-contains= --merged= --no-merged= --sort= --points-at= --format= --color=? -i`),
  submodule: toTable(
    "-q/--quiet --cached -b/--branch= -f/--force --name= --reference= --depth= --init --remote --rebase --merge --recursive -j/--jobs=",
  ),
  apply:
    toTable(`--exclude= --include= -p= --stat --numstat --summary --check --index --intent-to-add --cached --unsafe-paths --apply -3/--3way
    --build-fake-ancestor= -z -C= --whitespace= -R/--reverse --unidiff-zero --reject --allow-overlap -v/--verbose -q --inaccurate-eof --recount
    --directory= --ours --theirs --union`),
  stash: toTable(
    "-p/--patch -k/--keep-index -q/--quiet -u/--include-untracked -a/--all -m/--message= --pathspec-from-file= --index -S/--staged",
  ),
  rm: toTable("-n/--dry-run -q/--quiet --cached -f/--force -r --ignore-unmatch --pathspec-from-file= --sparse"),
  gc: toTable("-q/--quiet --prune=? --aggressive --auto --force --keep-largest-pack --no-prune --cruft"),
  reflog: toTable(
    "--all --expire= --expire-unreachable= --rewrite --updateref --stale-fix -n/--dry-run --verbose --single-worktree",
  ),
  "update-ref": toTable("-d -m= --no-deref --stdin -z --create-reflog"),
  commit:
    toTable(`-q/--quiet -v/--verbose -F/--file= --author= --date= -m/--message= -c/--reedit-message= -C/--reuse-message= --fixup= --squash=
    --reset-author --trailer= -s/--signoff -t/--template= -e/--edit --cleanup= --status -S/--gpg-sign=? -a/--all -i/--include --interactive -p/--patch
    -o/--only -n/--no-verify --dry-run --short --branch --ahead-behind --porcelain --long -z/--null --amend --no-post-rewrite
    -u/--untracked-files=? --pathspec-from-file= --no-edit --allow-empty --allow-empty-message`),
  blame: toTable(
    "--incremental --root --show-stats --progress --score-debug -f -n -p --porcelain --line-porcelain -c -t -l -s -e -w --ignore-rev= --ignore-revs-file= --color-lines --minimal -S= --contents= -C=? -M=? -L= --abbrev= --date= --textconv --reverse --first-parent",
  ),
  describe: toTable(
    "--contains --debug --all --tags --long --first-parent --abbrev=? --exact-match --candidates= --match= --exclude= --always --dirty=? --broken=?",
  ),
  status: toTable(
    "-v -s/--short -b/--branch --show-stash --ahead-behind --porcelain=? --long -z/--null -u/--untracked-files=? --ignored=? --ignore-submodules=? --column=? --no-renames -M/--find-renames=?",
  ),
  "ls-files": toTable(
    "-z -t -v -f -c/--cached -d/--deleted -m/--modified -o/--others -i/--ignored -s/--stage -k/--killed --directory --eol --no-empty-directory -u/--unmerged --resolve-undo -x/--exclude= -X/--exclude-from= --exclude-per-directory= --exclude-standard --full-name --recurse-submodules --error-unmatch --with-tree= --abbrev=? --debug --deduplicate --sparse --format=",
  ),
  fetch: toTable(
    "-v -q --all --set-upstream -a/--append --atomic --upload-pack= -f/--force -m/--multiple -t/--tags -n -j/--jobs= --prefetch -p/--prune -P --recurse-submodules=? --dry-run -k/--keep -u --progress --depth= --shallow-since= --shallow-exclude= --deepen= --unshallow --refetch --update-shallow --refmap= -o/--server-option= -4 -6 --negotiation-tip= --filter= --auto-maintenance --stdin",
  ),
  rebase: toTable(
    "--onto= --keep-base --continue --abort --quit --edit-todo --skip --show-current-patch -m/--merge -s/--strategy= -X/--strategy-option= -q/--quiet -v/--verbose --stat -n/--no-stat --no-verify -C= --ignore-whitespace --whitespace= --committer-date-is-author-date --signoff -i/--interactive --rebase-merges=? -x/--exec= --root --autosquash --no-autosquash --autostash --no-autostash --empty= --keep-empty -S/--gpg-sign=? -f/--force-rebase/--no-ff --fork-point --no-fork-point --reapply-cherry-picks --update-refs --reset-author-date",
  ),
  difftool: toTable(
    `${DIFF} -d/--dir-diff -y/--no-prompt --prompt --rotate-to= --skip-to= -t/--tool= --tool-help --symlinks --no-symlinks -x/--extcmd= -g/--gui --no-gui --trust-exit-code`,
  ),
  mergetool: toTable("-t/--tool= --tool-help -y/--no-prompt --prompt -g/--gui --no-gui -O="),
  grep: toTable(
    "--cached --no-index --untracked --no-exclude-standard --exclude-standard --recurse-submodules -a/--text --textconv --no-textconv -i/--ignore-case -I --max-depth= -r/--recursive -w/--word-regexp -v/--invert-match -h -H --full-name -E/--extended-regexp -G/--basic-regexp -P/--perl-regexp -F/--fixed-strings -n/--line-number --column -l/--files-with-matches --name-only -L/--files-without-match -O/--open-files-in-pager=? -z/--null -o/--only-matching -c/--count --color=? --no-color --break --heading -p/--show-function -A/--after-context= -B/--before-context= -C/--context= -W/--function-context -m/--max-count= --threads= -f= -e= --and --or --not --all-match -q/--quiet",
  ),
  pull: toTable(
    "-q/--quiet -v/--verbose --recurse-submodules=? --commit --no-commit -e/--edit --no-edit --cleanup= --ff --no-ff --ff-only -S/--gpg-sign=? --log=? --no-log --signoff --stat -n/--no-stat --squash --no-squash --no-verify -s/--strategy= -X/--strategy-option= --verify-signatures --summary --autostash --no-autostash --allow-unrelated-histories -r/--rebase=? --no-rebase --all -a/--append --atomic --depth= --deepen= --shallow-since= --shallow-exclude= --unshallow --update-shallow --negotiation-tip= --dry-run -f/--force -k/--keep --prefetch -p/--prune --no-tags --refmap= -t/--tags -j/--jobs= --set-upstream --upload-pack= --progress -o/--server-option= -4/--ipv4 -6/--ipv6",
  ),
  "ls-remote": toTable(
    "-h/--heads --branches -t/--tags --refs --upload-pack/--exec= -q/--quiet --exit-code --get-url --sort= --symref -o/--server-option=",
  ),
  merge: toTable(
    "--commit --no-commit -e/--edit --no-edit --cleanup= --ff --no-ff --ff-only -S/--gpg-sign=? --log=? --no-log --signoff --stat -n/--no-stat --squash --no-squash --no-verify -s/--strategy= -X/--strategy-option= --verify-signatures --summary -q/--quiet -v/--verbose --progress --autostash --allow-unrelated-histories -m= --into-name= -F/--file= --rerere-autoupdate --overwrite-ignore --abort --quit --continue",
  ),
  help: toTable(
    "-a/--all --no-external-commands --no-aliases --verbose -c/--config -g/--guides -i/--info -m/--man -w/--web --user-interfaces --developer-interfaces",
  ),
  "send-email": toTable(
    "--to= --cc= --bcc= --from= --to-cmd= --cc-cmd= --header-cmd= --sendmail-cmd= --smtp-server= --compose --annotate --dry-run --confirm=",
  ),
  "checkout-index": toTable(
    "-u/--index -q/--quiet -f/--force -a/--all -n/--no-create --prefix= --stage= --temp --stdin -z",
  ),
  "read-tree": toTable(
    "-m --reset -u -i -n/--dry-run -v --trivial --aggressive --prefix= --index-output= --no-sparse-checkout --empty -q/--quiet",
  ),
  "": toTable(""),
};

/** Options before the subcommand. */
export const GIT: OptionTable = toTable(
  `-v/--version -h/--help -C= -c= --exec-path=? --html-path --man-path --info-path -p/--paginate -P/--no-pager --no-replace-objects --bare
  --git-dir= --work-tree= --namespace= --super-prefix= --config-env= --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs
  --no-optional-locks --list-cmds= --attr-source=`,
  { permuted: false, subs: SUBS },
);
