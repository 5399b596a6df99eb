import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { layout } from "../../base/home.js";
import { type ExecScope, inspect } from "../exec.js";

const root = realpathSync(mkdtempSync(join(process.cwd(), "dist", "writes-")));
after(() => rmSync(root, { recursive: true, force: true }));
const userHome = join(root, "user");
const project = join(userHome, "project");
const outside = join(root, "outside");
for (const dir of [join(project, "src"), join(project, ".git/hooks"), join(outside, "deep"), join(root, "temporary")])
  mkdirSync(dir, { recursive: true });
symlinkSync(outside, join(project, "link"));
symlinkSync(join(outside, "deep"), join(project, "deep"));
for (const file of ["a.txt", "b.txt", ".bashrc"]) writeFileSync(join(project, file), "x");
writeFileSync(join(userHome, ".bashrc"), "x");

const scope: ExecScope = {
  home: layout(join(userHome, ".agent")),
  userHome,
  project,
  env: {},
  cwd: project,
  temporary: [join(root, "temporary")],
};

/** What is said of a line: `blocked`, `system`, `outside`, `unsure` (may write outside) or `inside`. */
function writesWhere(line: string): string {
  const { blocked, risks } = inspect(line.replaceAll("OUT", outside).replaceAll("TMP", join(root, "temporary")), scope);
  if (blocked !== undefined) return "blocked";
  if (risks.some((risk) => risk.class === "system-write")) return "system";
  const found = risks.filter((risk) => risk.class === "outside-write");
  return found.length === 0 ? "inside" : found.every((risk) => risk.unsure) ? "unsure" : "outside";
}

/** Lines by what they write. OUT is a directory outside the project, TMP a temporary one. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  blocked: [
    ...[
      "echo hi > /etc/passwd",
      "echo hi > /etc/vf-core-test.txt",
      "cp /dev/null /etc/vf-core-test3.txt",
      "cp x /etc/sudoers",
      "tee /etc/passwd",
    ],
    ...[
      "dd of=/etc/passwd",
      "echo x > /boot/x",
      "echo x >> /usr/lib/systemd/system/x",
      "cat x | sudo tee /etc/x",
      "sudo sh -c 'echo x > /etc/x'",
    ],
    ...[
      "mv x /etc/x",
      "install x /etc/x",
      "ln -s x /etc/x",
      "sort -o/etc/x a",
      "sort --outp=/etc/x a",
      "curl --outpu /etc/x u",
      "cp --targ=/etc x",
    ],
    ...["echo x > ~/.ssh/authorized_keys", "cp x ~/.aws/credentials", "ssh-keygen -f ~/.ssh/id_x", "D=~/.ssh; echo x > $D/authorized_keys"],
    ...["dd if=x of=~/.netrc", "git --work-tree=/etc checkout . > /etc/x"],
  ],
  system: [
    ...["echo hi > ~/.bashrc", "echo x >> ~/.profile", "echo x > .env", "echo x > .git/hooks/post-commit", "cp x .git/hooks/pre-commit"],
    ...[
      "tee ~/.bashrc",
      "sed -i s/a/b/ ~/.bashrc",
      "perl -pi -e 1 ~/.bashrc",
      "curl -o ~/.bashrc u",
      "curl -o~/.bashrc u",
      "curl --output=~/.bashrc u",
    ],
    ...[
      "cp .bashrc ~",
      "cp .bashrc ~/",
      "mv .bashrc ~",
      "install -t ~ .bashrc",
      "rsync .bashrc ~/",
      "vim /etc/hosts",
      "chmod 600 /etc/hosts",
      "ln -sf x ~/.bashrc",
    ],
  ],
  outside: [
    // curl and wget
    ...[
      "curl -o OUT/x u",
      "curl -oOUT/x u",
      "curl -sSo OUT/x u",
      "curl --output OUT/x u",
      "curl --output=OUT/x u",
      "curl --out OUT/x u",
      "curl -O --output-dir OUT u/x",
    ],
    ...[
      "curl -c OUT/jar u",
      "curl -D OUT/h u",
      "curl --dump OUT/h u",
      "curl --trace OUT/t u",
      "curl --trace-asc OUT/t u",
      "curl --etag-sav OUT/e u",
      "curl --hsts OUT/h u",
    ],
    ...[
      "curl --stderr OUT/e u",
      "curl -w '%output{OUT/x}a' u",
      "wget -O OUT/x u",
      "wget -OOUT/x u",
      "wget -P OUT u",
      "wget --directory-pre=OUT u",
      "wget -o OUT/log u",
    ],
    ...["wget -a OUT/log u", "wget --save-cook OUT/c u", "wget -qO OUT/x u"],
    // git
    ...[
      "git clone u OUT/x",
      "git -C OUT clone u",
      "git -C .. clone u x",
      "git init OUT/x",
      "git worktree add OUT/w",
      "git archive -o OUT/a.tar HEAD",
      "git archive --outp=OUT/a.tar HEAD",
    ],
    ...[
      "git format-patch -o OUT HEAD~1",
      "git format-patch --output-dir=OUT HEAD~1",
      "git bundle create OUT/b HEAD",
      "git config --file OUT/c a.b c",
      "git config -f OUT/c a.b c",
    ],
    ...[
      "git diff --output=OUT/d",
      "git diff --outp OUT/d",
      "git log --output=OUT/d -1",
      "git submodule add u OUT/s",
      "git -C OUT commit -m x",
      "git --git-dir=OUT/.git commit -m x",
    ],
    ...["git --work-tree=OUT checkout -f", "git clone --separate-git-dir=OUT/g u x"],
    // archives
    ...[
      "tar cf OUT/a.tar src",
      "tar -cfOUT/a.tar src",
      "tar -czf OUT/a.tgz src",
      "tar --create --file=OUT/a.tar src",
      "tar --cre --fil OUT/a.tar src",
      "tar xf a.tar -C OUT",
    ],
    ...[
      "tar -xf a.tar --directory=OUT",
      "tar -xf a.tar --dir OUT",
      "tar xf a.tar --one-top-level=OUT/x",
      "tar xfC a.tar OUT",
      "(cd OUT && tar xf a.tar)",
      "cd OUT && unzip a.zip",
    ],
    ...[
      "unzip a.zip -d OUT",
      "unzip -dOUT a.zip",
      "zip OUT/a.zip src",
      "7z a OUT/a.7z src",
      "7z x a.7z -oOUT",
      "gzip OUT/x",
      "gunzip OUT/x.gz",
      "xz OUT/x",
      "bzip2 -k OUT/x",
      "zstd x -o OUT/x",
    ],
    // text tools
    ...[
      "find . -fprint OUT/x",
      "find . -fprintf OUT/x %p",
      "find . -fls OUT/x",
      "find . -fprint0 OUT/x",
      `awk '{ print > "OUT/x" }' a`,
      `awk '{ print >> "OUT/x" }' a`,
    ],
    ...[
      `awk 'BEGIN { printf("a") > "OUT/x" }'`,
      "gawk -i inplace '{ print }' OUT/x",
      "gawk -oOUT/x 1 a",
      "uniq a OUT/x",
      "uniq -c a OUT/x",
      "split a OUT/x",
      "split -l 5 a OUT/x",
    ],
    ...[
      "csplit -f OUT/x a 1",
      "csplit --pref=OUT/x a 1",
      "sort -o OUT/x a",
      "sort a -oOUT/x",
      "sort -uo OUT/x a",
      "sort -T OUT a",
      "sed -i s/a/b/ OUT/x",
      "sed --in-pl s/a/b/ OUT/x",
    ],
    ...[
      "sed -n 'w OUT/x' a",
      "sed -e s/a/b/ -i OUT/x",
      "sed -ni p OUT/x",
      "tee OUT/x",
      "tee -a OUT/x < a",
      "patch OUT/x p",
      "patch -o OUT/x a p",
      "patch -d OUT -i p",
      "patch --directory OUT < p",
    ],
    ...["perl -i -pe 1 OUT/x", "perl -pi.bak -e 1 OUT/x", "ruby -i -ne 1 OUT/x", "xxd -r a OUT/x", "ed OUT/x", "ex -s OUT/x"],
    // keys, compilers, packages
    ...[
      "openssl req -new -keyout OUT/k -out x",
      "openssl rand -out OUT/r 4",
      "openssl rand -writerand OUT/r 4",
      "ssh-keygen -f OUT/k",
      "ssh-keygen -t rsa -fOUT/k",
      "gcc -o OUT/a a.c",
    ],
    ...[
      "gcc -oOUT/a a.c",
      "clang -c a.c -MF OUT/d",
      "gcc -dumpdir OUT/ a.c",
      "cc a.c -o OUT/a",
      "ld -o OUT/a a.o",
      "ld -Map=OUT/m a.o",
      "as -o OUT/a a.s",
      "rustc --out-dir OUT a.rs",
    ],
    ...[
      "rustc --emit=dep-info=OUT/d a.rs",
      "javac -d OUT A.java",
      "tsc --outDir OUT",
      "go build -o OUT/x",
      "go -C OUT build",
      "GOBIN=OUT go install ./x",
      "cargo build --target-dir OUT",
    ],
    ...[
      "cargo install --root OUT x",
      "cargo new OUT/x",
      "npm install --prefix OUT",
      "npm pack --pack-destination OUT",
      "npm pack --pack-dest=OUT",
      "npm --prefix=OUT install x",
      "pip install -t OUT x",
    ],
    ...[
      "pip install --targ OUT x",
      "pip install --prefix=OUT x",
      "pip install --log OUT/l x",
      "pip download -d OUT x",
      "python3 -m pip install --target OUT x",
      "python3 -m venv OUT/v",
    ],
    ...[
      "python3 -m zipfile -e a.zip OUT",
      "python3 -m json.tool a OUT/x",
      "make -C OUT",
      "make --dir=OUT",
      "make DESTDIR=OUT install",
      "cmake -B OUT",
      "cmake -S . -BOUT",
      "cmake -E touch OUT/x",
    ],
    ...["docker cp c:/x OUT/x", "docker save -o OUT/i x", "docker build -o OUT .", "docker build --iidfile OUT/i ."],
    // databases, media, tracing
    ...[
      "sqlite3 OUT/x.db 'create table t(a)'",
      "sqlite3 a.db '.output OUT/x' 'select 1'",
      `sqlite3 a.db "vacuum into 'OUT/x'"`,
      "sqlite3 a.db '.backup OUT/x'",
      "sqlite3 a.db <<< '.once OUT/x'",
    ],
    ...[
      "psql -o OUT/x -c 'select 1'",
      "psql -c '\\copy t to OUT/x'",
      "psql -L OUT/l",
      "pg_dump -f OUT/d x",
      "mysqldump -r OUT/d x",
      `mysql -e "select 1 into outfile 'OUT/x'"`,
      "yq -i .a=1 OUT/x.yaml",
    ],
    ...[
      "strace -o OUT/s ls",
      "time -o OUT/t ls",
      "script OUT/log",
      "ffmpeg -i a OUT/b.mp4",
      "convert a.png OUT/b.png",
      "gpg -o OUT/x -d a",
      "GIT_TRACE=OUT/t git status",
      "SSLKEYLOGFILE=OUT/k curl u",
    ],
    // files
    ...[
      "cp a OUT",
      "cp -t OUT a",
      "cp --target-dir=OUT a",
      "mv a OUT/",
      "mv OUT/x .",
      "ln a OUT/x",
      "ln -s a OUT/x",
      "install -D a OUT/x",
      "install -d OUT/x",
      "rsync -a src/ OUT/",
    ],
    ...[
      "rsync -a --backup-dir=OUT src/ b/",
      "rsync --log-file=OUT/l a b",
      "rsync -a -T OUT a b",
      "rsync --write-batch=OUT/b a b",
      "touch OUT/x",
      "mkdir -p OUT/x",
      "mkfifo OUT/x",
      "mknod OUT/x p",
    ],
    ...[
      "truncate -s 0 OUT/x",
      "shred OUT/x",
      "chmod 600 OUT/x",
      "chmod -x OUT/x",
      "chown me OUT/x",
      "chattr +i OUT/x",
      "setfacl -m u:x:r OUT/x",
      "dd if=a of=OUT/x",
      "dd of=OUT/x if=a bs=1",
    ],
    // redirections and where they lead
    ...[
      "echo x > OUT/x",
      "echo x >> OUT/x",
      "echo x >| OUT/x",
      "echo x &> OUT/x",
      "echo x &>> OUT/x",
      "echo x >& OUT/x",
      "echo x 2> OUT/x",
      "cat <> OUT/x",
      "{ echo x; } > OUT/x",
    ],
    ...[
      "(echo x) > OUT/x",
      "for i in 1; do echo; done > OUT/x",
      "echo x > ../x",
      "echo x > link/x",
      "echo x > deep/../x",
      "echo x > src/../../x",
      "cp a deep/../x",
      "touch deep/../y",
    ],
    ...[
      "echo $(echo x > OUT/x)",
      "xargs -I{} cp {} OUT < a",
      "find . -exec cp {} OUT \\;",
      "find OUT -name x -exec sed -i s/a/b/ {} +",
      "if true; then echo > OUT/x; fi",
      "f() { echo > OUT/x; }; f",
    ],
    // links that the line makes
    ...[
      "ln -s OUT d; echo x > d/f",
      "ln -s OUT d && cp a d/f",
      "ln -sfn OUT d; touch d/f",
      "ln -s .. d; echo x > d/d/f",
      "ln -s OUT/f g; echo x > g",
      "ln -s OUT src/; echo x > src/outside/f",
    ],
    ...[
      "ln OUT/f g; echo x >> g",
      "cp -s OUT/f g; echo x >> g",
      "cp -P link d; echo x > d/f",
      "mv link d; echo x > d/f",
      "cp -a link d && tee d/f",
      "ln -s OUT d; cd d; echo x > f",
    ],
    ...["ln -s OUT d; mv d e; echo x > e/f", "ln -s OUT/deep d; echo x > d/../f", "ln -s ../outside d; echo x > ../d/x"],
  ],
  unsure: [
    ...[
      'echo x > "$FILE"',
      'echo x > "build/$X"',
      "cp a $(cmd)",

      "make install",
      "sudo make install",
      "curl -K c u",
      "wget -e output_document=x u",
      "awk '{ print > $1 }' a",
    ],
    ...["cat l | xargs touch", "xargs -a l touch", "xargs -I{} cp a {} < l", "cat l | xargs -I{} touch {}"],
    ...["tar xPf a.tar", "git apply --unsafe-paths p", "gcc @args a.c", 'tee "$X"', "cmake --install build"],
  ],
  inside: [
    ...[
      "echo x > a",
      "echo x > src/a",
      "echo x > /dev/null",
      "ls 2>/dev/null",
      "ls 2>&1",
      "ls >&2",
      "echo x > TMP/a",
      "cp a b",
      "cp ../shared/a .",
      "cp /etc/hosts .",
      "mv a b",
      "ln -s ../a b",
    ],
    ...[
      "ln -s /usr/share/x y",
      "curl -o a u",
      "curl u",
      "curl -s u",
      "curl -O u/x",
      "wget u/x",
      "git clone u",
      "git clone u sub",
      "git archive -o a.tar HEAD",
      "git diff --output=d",
      "git -C OUT status",
    ],
    ...[
      "git -C OUT log --oneline",
      "tar czf a.tgz src",
      "tar cf - OUT",
      "tar xf OUT/a.tar",
      "tar tf OUT/a.tar",
      "unzip OUT/a.zip",
      "unzip -l OUT/a.zip",
      "zip a.zip src",
      "gzip -k a",
      "zcat OUT/a.gz",
      "gzip -dc OUT/a.gz",
    ],
    ...[
      "find OUT -name x",
      "awk '{ print $1 }' OUT/a",
      "awk '$3 > 5 { print }' a",
      `awk '{ print > "out" }' a`,
      "awk '{ print ($1 > 2) }' a",
      "uniq OUT/a",
      "uniq -f 1 OUT/a b",
      "split -l 5 OUT/a x",
    ],
    ...[
      "sort -o a OUT/b",
      "sort OUT/a",
      "sed -n p OUT/a",
      "sed -i s/a/b/ a",
      "perl -pi -e 1 a",
      "openssl x509 -in OUT/c -noout",
      "openssl req -out a -keyout b",
      "ssh-keygen -lf OUT/k",
      "ssh-keygen -f k -N ''",
    ],
    ...[
      "gcc -o a OUT/a.c",
      "gcc -I/usr/include -L/usr/lib a.c",
      "go build ./...",
      "cargo build --release",
      "npm install",
      "pip install -r OUT/r.txt",
      "python3 -m venv .venv",
      "make",
      "make -j4 all",
      "make -C src",
    ],
    ...[
      "make DESTDIR=build install",
      "cmake -B build -S OUT",
      "docker cp a c:/x",
      "docker build .",
      "sqlite3 a.db 'select 1'",
      "sqlite3 a.db '.output x'",
      "psql -c 'select 1'",
      "dd if=/dev/zero of=a bs=1 count=1",
    ],
    ...[
      "tee a",
      "touch a b",
      "mkdir -p a/b",
      "rsync -a OUT/ src/",
      "chmod +x a",
      "strace -o s ls",
      "ln -s src d; echo x > d/f",
      "cp -r OUT d; echo x > d/deep.txt",
      "cat OUT/x > y",
      "grep x OUT/a > b",
    ],
    ...[
      "ssh-keygen -y -f OUT/k",
      "patch -p1 < OUT/p",
      "jq . OUT/a > b",
      "base64 -d OUT/a > b",
      "ffmpeg -i OUT/a b.mp4",
      "find . -name x -exec sed -i s/a/b/ {} +",
      "find src -exec touch {} \\;",
    ],
  ],
};

for (const [where, lines] of Object.entries(LINES)) {
  for (const line of lines) {
    test(`${JSON.stringify(line)} writes: ${where}`, () => {
      assert.equal(writesWhere(line), where, JSON.stringify(inspect(line.replaceAll("OUT", outside), scope).risks));
    });
  }
}
