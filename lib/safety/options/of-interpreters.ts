import type { OptionRow } from "./types.js";

/** Options of shells and interpreters, as far as it depends on them which file they run. */
export const OPTIONS_OF_INTERPRETERS: Readonly<Record<string, OptionRow>> = {
  sh: {
    permuted: false,
    options: `+ +o= +O= -a -b -c -e -f -h -i -k -l -m -n -o= -O= -p -r -s -t -u -v -x -B -C -D -E -H -P -T --rcfile/-rcfile= --init-file/-init-file= --norc/-norc
      --noprofile/-noprofile --posix/-posix --login/-login --debugger/-debugger --noediting/-noediting --restricted/-restricted --verbose/-verbose
      --pretty-print --dump-strings --dump-po-strings --version/-version --help/-help`,
  },
  php: {
    permuted: false,
    options: `-a/--interactive -b= -B/--process-begin= -c/--php-ini= -C -d/--define= -e -E/--process-end= -f/--file= -F/--process-file= -h -H -i/--info -l/--syntax-check
      -m -n -q -r/--run= -R/--process-code= -s -S/--server= -t/--docroot= -T= -v -w -z/--zend-extension= --ini --rf= --rc= --re= --rz= --ri=`,
  },
  lua: { permuted: false, options: "-e= -l= -i -v -E -W -b= -j= -O=?" },
  deno: `-A/--allow-all -c/--config= --import-map= --lock= -L/--log-level= -r/--reload=? -q/--quiet --cert= --env-file=? --env=? --location= --seed= -p/--port= -I= --preload=
    --v8-flags=? --ext= --watch=? --allow-read=? --allow-write=? --allow-net=? --allow-env=? --allow-run=? --allow-ffi=? --allow-sys=? -o/--output= --target= --inspect=?`,
  tsx: {
    permuted: false,
    options:
      "-r/--require= --import= --loader= --tsconfig= -e/--eval= -p/--print= --env-file= -C/--conditions= --watch --no-cache --test -v --version",
  },
  "ts-node": {
    permuted: false,
    options:
      "-r/--require= -P/--project= -e/--eval= -p/--print -O/--compiler-options= -C/--compiler= -I/--ignore= -T -F -s -v --esm --swc --files --cwd= --dir= --scope --skip-project",
  },
  Rscript: { permuted: false, options: "-e= -g= -d= --default-packages= --vanilla --verbose --version --help" },
  tclsh: { permuted: false, options: "-encoding=" },
  java: {
    permuted: false,
    options: "",
  },
  expect: { permuted: false, options: "-c= -f= -b= -d -D= -i -n -N -v" },
  gdb: {
    style: "single",
    options:
      "-x= --command= -ex= -ix= --init-command= -iex= -q -batch -nx -p= -c= -cd= -d= -s= -e= --args -tty= -l= -b= --symbols= --exec= --core= --pid= --data-directory=",
  },
  bc: "-h -i -l -q -s -w -v",
  dc: "-e/--expression= -f/--file= -h -V",
  emacs: {
    style: "single",
    options:
      "-l= --load= --script= -x= --eval= -eval= -f= --funcall= -q -Q -batch --batch -nw -u= --user= -L= --directory= --chdir=",
  },
};
