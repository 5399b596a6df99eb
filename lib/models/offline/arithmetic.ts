/** Deepest nesting of brackets and signs, so that hostile input cannot exhaust the stack. */
const MAX_DEPTH = 100;

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
}

/** Value of an expression of numbers, + - * / and brackets, or undefined when `text` is none. Division by zero gives an infinite value. */
export function calculate(text: string): number | undefined {
  const normal = text.replace(/[\s_]/g, "").replace(/[−–]/g, "-").replace(/[×·]/g, "*").replace(/÷/g, "/");
  if (!/^[-+*/().,\d]+$/.test(normal) || !/\d/.test(normal)) return undefined;
  const reader: Reader = { text: normal.replaceAll(",", ""), at: 0, depth: 0 };
  const value = sum(reader);
  return reader.at === reader.text.length ? value : undefined;
}

/** Ten significant decimals are plenty and hide that 0.1 + 0.2 is not 0.3. */
export function renderNumber(value: number): string {
  return String(Number(value.toPrecision(12)));
}

function sum(reader: Reader): number | undefined {
  let left = product(reader);
  for (
    let sign = reader.text[reader.at];
    left !== undefined && (sign === "+" || sign === "-");
    sign = reader.text[reader.at]
  ) {
    reader.at += 1;
    const right = product(reader);
    left = right === undefined ? undefined : sign === "+" ? left + right : left - right;
  }
  return left;
}

function product(reader: Reader): number | undefined {
  let left = factor(reader);
  for (
    let sign = reader.text[reader.at];
    left !== undefined && (sign === "*" || sign === "/");
    sign = reader.text[reader.at]
  ) {
    reader.at += 1;
    const right = factor(reader);
    left = right === undefined ? undefined : sign === "*" ? left * right : left / right;
  }
  return left;
}

function factor(reader: Reader): number | undefined {
  if (++reader.depth > MAX_DEPTH) return undefined;
  const char = reader.text[reader.at];
  let value: number | undefined;
  if (char === "-" || char === "+") {
    reader.at += 1;
    const inner = factor(reader);
    value = inner === undefined || char === "+" ? inner : -inner;
  } else if (char === "(") {
    reader.at += 1;
    value = sum(reader);
    if (reader.text[reader.at] !== ")") return undefined;
    reader.at += 1;
  } else value = number(reader);
  reader.depth -= 1;
  return value;
}

function number(reader: Reader): number | undefined {
  const digits = /^(\d+(\.\d*)?|\.\d+)/.exec(reader.text.slice(reader.at))?.[0];
  if (digits === undefined) return undefined;
  reader.at += digits.length;
  return Number(digits);
}
