import type { OptionRow } from "./types.js";

/** Options of compilers, package managers, containers and interpreters, as far as their operands and what they write depend on them. */
export const OPTIONS_OF_BUILDERS: Readonly<Record<string, OptionRow>> = {
  cc: {
    style: "single",
    options: `-o= -MF= -MT= -MQ= -MJ= -dumpdir= -dumpbase= -dumpbase-ext= -aux-info= -I= -L= -l= -D= -U= -x= -include= -imacros= -isystem= -iquote= -idirafter= -iprefix=
      -isysroot= -arch= -target= -framework= -u= -T= -e= -z= -Xlinker= -Xassembler= -Xpreprocessor= -Xclang= -mllvm= -param= --param= -A= -c -S -E -g -v
      -w -s -static -shared -pthread -pipe -save-temps=? -specs= --specs= -wrapper= -B= -fplugin= -fuse-ld= -iplugindir= -std= -fdump-tree-all= -serialize-diagnostics= --output= -fprofile-dir=
      -ftime-trace= -fdiagnostics-add-output= -stdlib=`,
  },
  ld: {
    style: "single",
    options:
      "-o= --output= -Map= -T= -L= -l= -e= -m= -h= -soname= -rpath= -dynamic-linker= -z= -u= -y= -c= -R= -I= --dependency-file= --out-implib= --output-def= -plugin= -reproduce= --reproduce= -Map -shared -static -r -s -S -g",
  },
  strip:
    "-F/--target= -I/--input-target= -O/--output-target= -o/--output-file= -p/--preserve-dates -D -U -R/--remove-section= -s/--strip-all -g/-S/-d/--strip-debug --strip-unneeded -M -N/--strip-symbol= -K/--keep-symbol= -w -x/--discard-all -X --only-keep-debug --plugin= -v -V --info",
  objcopy:
    "-F/--target= -I/--input-target= -O/--output-target= -B/--binary-architecture= -p -D -j/--only-section= -R/--remove-section= -K/--keep-symbol= -N/--strip-symbol= -S -g --add-section= --update-section= --dump-section= --split-dwo=? --extract-dwo --rename-section= --add-gnu-debuglink= --plugin= -v -V",
  binutils:
    "--plugin= -a -A -B -C/--demangle=? -D -d -f -F= -g -h -l -M= -m= -n -o -p -P -r -R -s -S -t= -T -u -V -w -W=? -x -X= -z --dwarf=? -j= -e= -i -H -E -I",
  ar: "--plugin= --target= --output= -X= --thin",
  as: "-o= -I= --MD= -a=? --defsym= -g -v -W -J -K -L -R -D -Z",
  rustc:
    "-o= --out-dir= --emit= --crate-name= --crate-type= -L= -l= --edition= --target= -C/--codegen= -A= -W= -D= -F= -Z= --cfg= --extern= --sysroot= --cap-lints= -O -g -v -V --test --print= --explain= --color= --error-format= --remap-path-prefix=",
  javac: {
    style: "single",
    options:
      "-d= -h= -s= -cp= -classpath= --class-path= -sourcepath= --source-path= -source= -target= --release= -encoding= -processor= -processorpath= -implicit= -Xlint -g -nowarn -verbose",
  },
  tsc: {
    style: "single",
    options:
      "--outDir= -outDir= --outFile= -outFile= --declarationDir= --tsBuildInfoFile= --rootDir= -p= --project= -t= --target= -m= --module= --lib= --jsx= --baseUrl= --generateTrace= --generateCpuProfile= --locale= --types= --typeRoots= -w --watch -b --build --noEmit --init",
  },
  npm: `-g/--global -C/--prefix= --cwd= --dir= -w/--workspace= --workspaces --registry= --tag= --otp= --access= --cache= --userconfig= --globalconfig= --loglevel= -d -s/--silent
    -q/--quiet --filter= -F= --pack-destination= --before= --script-shell= --node-options= -S/--save -D/--save-dev -O/--save-optional -E/--save-exact --no-save
    -f/--force --legacy-peer-deps -y/--yes -l/--long --json --dry-run --ignore-scripts --omit= --include= -c/--call= -p/--package= -a --all --depth= --logs-dir=
    --location= --modules-folder= --store-dir= --virtual-store-dir= --lockfile-dir= --state-dir= --init-module= --editor= --git= --shell= --viewer= --onload-script= --global-style --global-dir= --global-folder= --link-folder= --prod
    --production -P -r --recursive --if-present --foreground-scripts --audit-level= -v --version -h --help`,
  pip: `-r/--requirement= -c/--constraint= -e/--editable= -t/--target= --prefix= --root= --user -U/--upgrade -i/--index-url= --extra-index-url= -f/--find-links= --log=
    -w/--wheel-dir= -d/--dest/--dest-dir= --src= --cache-dir= --python= --break-system-packages --no-deps --pre -q/--quiet -v/--verbose --platform= --abi=
    --python-version= --implementation= --only-binary= --no-binary= --report= --proxy= --timeout= --retries= --cert= --client-cert= --trusted-host=
    --progress-bar= --global-option= --build-option= --config-settings= -C= --exists-action= --upgrade-strategy= --root-user-action= --no-index
    --force-reinstall -I/--ignore-installed -y/--yes --format= --path= --exclude= --requirement= --record=`,
  cargo: `--target-dir= --root= --manifest-path= -p/--package= -j/--jobs= --features= -F= --target= --profile= --bin= --example= --test= --bench= --exclude= --color= --message-format=
    --config= -Z= -C= --out-dir= --artifact-dir= --path= --git= --branch= --tag= --rev= --version= --vers= --registry= --index= --lockfile-path= --token= --name=
    --edition= --vcs= -v -q -r/--release --workspace --all --lib --bins --all-targets --locked --offline --frozen -f/--force`,
  go: {
    style: "single",
    options:
      "-vettool= -o= -C= -p= -mod= -modfile= -modcacherw -overlay= -pkgdir= -tags= -ldflags= -gcflags= -asmflags= -gccgoflags= -compiler= -buildmode= -exec= -toolexec= -work -x -n -v -a -i -race -count= -run= -bench= -benchtime= -timeout= -cover -coverprofile= -covermode= -coverpkg= -cpuprofile= -memprofile= -blockprofile= -mutexprofile= -trace= -outputdir= -parallel= -short -json -c -u -t -d -f= -m -w -e",
  },
  gofmt: { style: "single", options: "-w -l -d -s -e -r= -cpuprofile=" },
  make: `-C/--directory= -f/--file/--makefile= -I/--include-dir= -j/--jobs=? -l/--load-average=? -o/--old-file/--assume-old= -W/--what-if/--new-file/--assume-new= -O/--output-sync=?
    -E/--eval= -B/--always-make -e/--environment-overrides -i -k/--keep-going -n/--just-print/--dry-run -p -q/--question -r -R -s/--silent -S -t/--touch -v -w -d --debug=? --trace`,
  ninja: "-C= -f= -j= -k= -l= -n -t= -d= -w= -v --version --quiet",
  cmake:
    "-B= -S= -C= -D= -U= -G= -T= -A= -P= -E= -W= --build= --install= --prefix= --target= -t= --config= -j/--parallel=? --preset= --trace-redirect= --profiling-output= --graphviz= --toolchain= --log-level= --open= -N -L -v --debug-trycompile --fresh",
  meson:
    "--prefix= -D= -C= --buildtype= --cross-file= --native-file= --backend= --reconfigure --wipe --destdir= --bindir= --libdir=",
  docker: {
    options: `-H/--host= -c/--context= --config= -l/--log-level= -D/--debug --tlscacert= --tlscert= --tlskey= -o/--output= -f/--file= -t/--tag= -v/--volume= -e/--env= -p/--publish= --name= --network=
      -w/--workdir= -u/--user= --mount= --entrypoint= --build-arg= --target= --platform= --cidfile= --iidfile= --metadata-file= --env-file= --project-directory= --profile= -i -a -d/--detach
      --rm -it -ti --privileged --cap-add= --device= -n/--tail= --since= --until= --filter= --format= -q/--quiet --label= --add-host= --gpus= --memory= -m= --cpus= --restart= --ipc= --pid=
      --uts= --userns= --security-opt= --ulimit= --shm-size= --tmpfs= --volumes-from= --link= --dns= --hostname= -h= --cache-from= --cache-to= --secret= --ssh= --progress= --pull=? --index=`,
  },
  python: {
    permuted: false,
    options:
      "-c= -m= -W= -X= -Q= --check-hash-based-pycs= -b -B -d -E -h -i -I -O -OO -P -q -s -S -u -v -V/--version -x -?",
  },
  perl: {
    permuted: false,
    options:
      "-e= -E= -i=? -I= -M= -m= -0=? -C=? -D=? -F= -l=? -x=? -V=? -a -c -f -g -h -n -p -s -S -t -T -u -U -v -w -W -X -d=?",
  },
  ruby: {
    permuted: false,
    options:
      "-e= -i=? -I= -r= -C= -E= -F= -0=? -K=? -T=? -W=? -x=? -a -c -d -h -l -n -p -s -S -v -w -y --encoding= --enable= --disable= --version --copyright",
  },
  node: {
    permuted: false,
    options: `-e/--eval= -p/--print=? -r/--require= -i/--interactive -c/--check -C/--conditions= --import= --loader= --experimental-loader= --input-type= --env-file=
    --inspect=? --inspect-brk=? --max-old-space-size= --cpu-prof --cpu-prof-dir= --cpu-prof-name= --heap-prof --heap-prof-dir= --heap-prof-name= --heapsnapshot-signal= --diagnostic-dir=
    --report-dir= --report-directory= --report-filename= --redirect-warnings= --trace-event-file-pattern= --trace-event-categories= --build-snapshot --snapshot-blob= --tls-keylog=
    --experimental-sea-config= --test --watch --watch-path= --test-reporter= --test-reporter-destination= --test-name-pattern= --stack-trace-limit= --title= --unhandled-rejections= --icu-data-dir=
    --dns-result-order= --es-module-specifier-resolution= --secure-heap= --disable-warning= -v/--version -h/--help --run= --logfile= --trace-turbo --redirect-code-traces --perf-prof --perf-basic-prof --prof --trace-turbo-path= --redirect-code-traces-to= --perf-prof-path= --turbo-profiling-output=
    --trace-turbo-cfg-file= --test-global-setup= --experimental-config-file= --localstorage-file= --trace-require-module=? --trace-env -S --test-coverage-include=
    --openssl-config= --experimental-default-type= --env-file-if-exists= --inspect-publish-uid= --disable-wasm-trap-handler --no-warnings --enable-source-maps`,
  },
  uv: "--directory= --project= --cache-dir= --config-file= --target= --prefix= --python= -p= -r/--requirements= -o/--output-file= --out-dir= --with= --index-url= --extra-index-url= --extra= --group= --package= -q -v -n --system --break-system-packages",
  gem: "-i/--install-dir= -n/--bindir= --build-root= -v/--version= -g/--file=? --source= -s= --user-install --document= -N --no-document -P= --local -l --remote -r -f -q -O/--output=",
  composer: "-d/--working-dir= --no-dev -n -q -v -o --prefer-dist --ignore-platform-reqs",
  dotnet:
    "-o/--output= -c/--configuration= -f/--framework= -r/--runtime= -v/--verbosity= --artifacts-path= --results-directory= -p= --project= --diag= -n/--name=",
  mvn: "-f/--file= -s/--settings= -gs= -l/--log-file= -pl/--projects= -P= -D= -T= -am -o -q -X -e -B -U",
  terraform: {
    style: "single",
    options:
      "-chdir= -out= -state= -state-out= -backup= -var= -var-file= -target= -plugin-dir= -backend-config= -from-module= -auto-approve -destroy -json -no-color -input= -lock= -parallelism= -refresh=",
  },
  pytest:
    "-k= -m= -p= -c= -o/--override-ini= -n= -x -q -v -s -l --rootdir= --basetemp= --junitxml= --junit-xml= --log-file= --cov=? --cov-report= --cov-config= --maxfail= --tb= --durations= --ignore= --deselect= --html= --json-report-file= --cache-dir= -W= --pastebin=",
  eslint:
    "-o/--output-file= -c/--config= --ext= -f/--format= --cache --cache-file= --cache-location= --fix --fix-dry-run --rule= --plugin= --parser= --ignore-path= --ignore-pattern= --max-warnings= --rulesdir= --resolve-plugins-relative-to=",
  prettier:
    "-w/--write -c/--check -l --config= --parser= --ignore-path= --plugin= --cache-location= --stdin-filepath= --log-level=",
  biome: "--write --fix --apply --config-path= --reporter= --max-diagnostics= --stdin-file-path=",
  convert: { style: "single", options: "" },
  magick: { style: "single", options: "" },
};
