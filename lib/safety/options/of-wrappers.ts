import type { OptionRow } from "./types.js";

/** Options of programs that start another one: their own end where its name stands. */
export const OPTIONS_OF_WRAPPERS: Readonly<Record<string, OptionRow>> = {
  sudo: {
    permuted: false,
    options: `-A/--askpass -b/--background -B/--bell -C/--close-from= -D/--chdir= -e/--edit -E/--preserve-env=? -g/--group= -H/--set-home -h/--host=
      -i/--login -K/--remove-timestamp -k/--reset-timestamp -l/--list -N/--no-update -n/--non-interactive -P/--preserve-groups -p/--prompt=
      -R/--chroot= -r/--role= -S/--stdin -s/--shell -T/--command-timeout= -t/--type= -U/--other-user= -u/--user= -V/--version -v/--validate`,
  },
  doas: { permuted: false, options: "-u= -C= -L -n -s -a=" },
  env: {
    permuted: false,
    options: `-i/--ignore-environment -0/--null -u/--unset= -C/--chdir= -S/--split-string= --block-signal=? --default-signal=? --ignore-signal=?
      --list-signal-handling -v/--debug -P= --help --version`,
  },
  nice: { permuted: false, options: "-n/--adjustment= --help --version" },
  ionice: { permuted: false, options: "-c/--class= -n/--classdata= -p/--pid= -P/--pgid= -t/--ignore -u/--uid=" },
  nohup: { permuted: false, options: "--help --version" },
  setsid: { permuted: false, options: "-c/--ctty -f/--fork -w/--wait -V/--version -h/--help" },
  time: {
    permuted: false,
    options: "-f/--format= -o/--output= -a/--append -p/--portability -q/--quiet -v/--verbose -V/--version",
  },
  timeout: {
    permuted: false,
    options: "--preserve-status --foreground -k/--kill-after= -s/--signal= -v/--verbose --help --version",
  },
  stdbuf: { permuted: false, options: "-i/--input= -o/--output= -e/--error=" },
  command: { permuted: false, options: "-p -v -V" },
  builtin: { permuted: false, options: "" },
  exec: { permuted: false, options: "-c -l -a=" },
  xargs: {
    permuted: false,
    options: `-0/--null -a/--arg-file= -d/--delimiter= -E= -e/--eof=? -I= -i/--replace=? -L= -l/--max-lines=? -n/--max-args= -P/--max-procs=
      -o/--open-tty -p/--interactive --process-slot-var= -r/--no-run-if-empty -s/--max-chars= --show-limits -t/--verbose -x/--exit -J= -R= -S=`,
  },
  parallel: {
    permuted: false,
    options: `-j/--jobs= -a/--arg-file= -N/--max-replace-args= -n/--max-args= -0/--null -C/--colsep= -d/--delimiter= -I= -k/--keep-order -L= -m -q/--quote
      -r/--no-run-if-empty -S/--sshlogin= -X --joblog= --results= --tmpdir= --workdir= --timeout= --retries= --eta --bar --halt= --dry-run -u --pipe
      --env= --delay= --load= --tag --basefile= --return= --transfer --cleanup -v --will-cite`,
  },
  watch: {
    permuted: false,
    options:
      "-b/--beep -c/--color -d/--differences=? -e/--errexit -g/--chgexit -n/--interval= -p/--precise -q/--equexit= -t/--no-title -x/--exec -w",
  },
  chroot: { permuted: false, options: "--groups= --userspec= --skip-chdir" },
  busybox: { permuted: false, options: "--list --list-full --install -s" },
  toybox: { permuted: false, options: "" },
  unbuffer: { permuted: false, options: "-p" },
  flock: {
    permuted: false,
    options:
      "-s/--shared -x/-e/--exclusive -u/--unlock -n/--nb/--nonblock -w/--timeout/--wait= -E/--conflict-exit-code= -o/--close -c/--command= -F/--no-fork --verbose",
  },
  strace: {
    permuted: false,
    options: `-o/--output= -e/--expr= -p/--attach= -s/--string-limit= -f/--follow-forks -ff -a/--columns= -E/--env= -u/--user= -O= -S= -P/--trace-path= -I/--interruptible=
      -b/--detach-on= -X/--const-print-style= -c -C -d -i -k -n -q -r -t -T -v -V -w -x -y -z -Z -A/--output-append-mode -D --trace= --inject= --fault=`,
  },
  ltrace: {
    permuted: false,
    options:
      "-o/--output= -e= -p= -s= -a/--align= -A= -F/--config= -l/--library= -n/--indent= -u= -x= -D/--debug= -b -c -C -f -i -L -r -S -t -T -V -w=",
  },
  taskset: { permuted: false, options: "-a/--all-tasks -c/--cpu-list -p/--pid" },
  chrt: {
    permuted: false,
    options:
      "-a -b/--batch -d/--deadline -f/--fifo -i/--idle -m -o/--other -p/--pid -r/--rr -R -v -T/--sched-runtime= -P/--sched-period= -D/--sched-deadline=",
  },
  systemd_run: {
    permuted: false,
    options: `--user --system -H/--host= -M/--machine= --scope --unit= -u= -p/--property= --description= --slice= -r/--remain-after-exit --send-sighup
      --service-type= --uid= --gid= --nice= --working-directory= -d/--same-dir -E/--setenv= -t/--pty -P/--pipe -q/--quiet -G/--collect --wait -S/--shell
      --on-active= --on-boot= --on-calendar= --timer-property= --path-property= --no-block`,
  },
  firejail: { permuted: false, options: "" },
  unshare: {
    permuted: false,
    options: `-m/--mount=? -u/--uts=? -i/--ipc=? -n/--net=? -p/--pid=? -U/--user=? -C/--cgroup=? -T/--time=? -f/--fork --mount-proc=? -r/--map-root-user
      -c/--map-current-user --map-user= --map-group= --map-users= --map-groups= --propagation= --setgroups= -R/--root= -w/--wd= -S/--setuid= -G/--setgid=
      --kill-child=? --keep-caps --monotonic= --boottime=`,
  },
  nsenter: {
    permuted: false,
    options: `-a/--all -t/--target= -m/--mount=? -u/--uts=? -i/--ipc=? -n/--net=? -p/--pid=? -U/--user=? -C/--cgroup=? -T/--time=? -S/--setuid= -G/--setgid=
      --preserve-credentials -r/--root=? -w/--wd=? -W/--wdns=? -F/--no-fork -Z`,
  },
  pkexec: { permuted: false, options: "--user= --disable-internal-agent --keep-cwd" },
  runuser: {
    permuted: false,
    options:
      "-u/--user= -g/--group= -G/--supp-group= -c/--command= -f/--fast -l/--login -m/-p/--preserve-environment -P/--pty -s/--shell= --session-command= -w/--whitelist-environment=",
  },
  npx: {
    permuted: false,
    options:
      "-p/--package= -c/--call= -y/--yes --no -q/--quiet -w/--workspace= --workspaces --prefer-offline --ignore-existing --no-install",
  },
  pnpx: { permuted: false, options: "--package= -c/--shell-mode -s/--silent" },
  bunx: { permuted: false, options: "-p/--package= --bun --silent --verbose" },
  proot: {
    permuted: false,
    options:
      "-r/--rootfs= -b/--bind/-m/--mount= -q/--qemu= -w/--pwd/--cwd= -v/--verbose= -0/--root-id -i/--change-id= -S= -R=",
  },
  fakeroot: { permuted: false, options: "-l/--lib= --faked= -s= -i= -u/--unknown-is-real -b= -h -v" },
  dotenv: { permuted: false, options: "-e= -f= -v= -c= -p= -o -q/--quote=" },
  caffeinate: { permuted: false, options: "-d -i -m -s -u -t= -w=" },
  arch: { permuted: false, options: "-32 -64 -arch= -c -d= -e= -h" },
  dbus_run_session: { permuted: false, options: "--config-file= --dbus-daemon=" },
  systemctl: `-H/--host= -M/--machine= -t/--type= -p/--property= -P= -n/--lines= -o/--output= --root= --image= --kill-whom= --kill-who= -s/--signal= --state= --job-mode=
    --check-inhibitors=? -f/--force -q/--quiet --no-block --no-wall --no-pager --now --user --system --global --message= --firmware-setup --boot-loader-menu=
    --boot-loader-entry= --when= -a/--all -l/--full -r/--recursive --reverse --dry-run --no-reload --no-legend --no-ask-password --wait --plain --timestamp= --what=`,
  loginctl:
    "-H/--host= -M/--machine= -p/--property= -P= -n/--lines= -o/--output= -s/--signal= --kill-whom= -a/--all -l/--full --no-pager --no-legend --no-ask-password",
  init: "-t= -e= --no-wall --help",
  telinit: "-t= -e= --no-wall --help",
  script:
    "-a/--append -c/--command= -e/--return -f/--flush --force -I/--log-in= -O/--log-out= -B/--log-io= -T/--log-timing= -m/--logging-format= -o/--output-limit= -q/--quiet -E/--echo= -t/--timing=? -V -h",
  su: "-c/--command= -f/--fast -g/--group= -G/--supp-group= -l/--login -m/-p/--preserve-environment -P/--pty -s/--shell= --session-command= -w/--whitelist-environment= -T",
};
