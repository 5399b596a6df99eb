// Floor of the screen: a bare Node program on a terminal that shows what is typed behind a prompt. `tty.mjs [KB RATE]` also streams text.
const [kilobytes = "0", rate = "0"] = process.argv.slice(2);
process.stdin.setRawMode(true);
process.stdout.write("\x1b[?1049h\x1b[2J\x1b[40;1H› ");
let typed = "";
process.stdin.on("data", (bytes) => {
  const text = bytes.toString();
  if (text.includes("\x04")) {
    process.stdout.write("\x1b[?1049l");
    process.exit(0);
  }
  if (text === "\r") return stream();
  typed += text;
  process.stdout.write(`\x1b[40;1H› ${typed}`);
});

let row = 0;
function line() {
  row = (row % 36) + 1;
  return `\x1b[${row};1HSome words of an answer that is as wide as most of the screen is, and goes on and on.\x1b[K`;
}

function stream() {
  let left = Number(kilobytes) * 1_000;
  const begun = performance.now();
  const all = left;
  const step = () => {
    const due = rate === "0" ? all : Math.min(all, ((performance.now() - begun) / 1_000) * Number(rate) * 1_000);
    let out = "";
    while (all - left < due && left > 0) {
      out += line();
      left -= 86;
    }
    if (left <= 0) return process.stdout.write(`${out}\x1b[37;1HTHE-END`);
    process.stdout.write(out);
    setTimeout(step, 33);
  };
  step();
}
