/**
 * The same for Python 3: gives the code the module `agent_tools`, whose functions take keyword arguments and wait for their results. Calls of
 * several threads go out at the same time.
 */
export const PYTHON = String.raw`
import sys, os, json, threading, types, linecache, traceback, re, time, shlex

os.set_inheritable(3, False)
os.set_inheritable(4, False)
_inlet = os.fdopen(3, "rb")
_outlet = os.fdopen(4, "wb", buffering=0)
_start = json.loads(_inlet.readline())
_lock = threading.Lock()
_waiting = {}
_serial = 0


def _read():
    for line in _inlet:
        message = json.loads(line)
        with _lock:
            entry = _waiting.pop(message["id"], None)
        if entry is not None:
            entry[1] = message
            entry[0].set()
    os._exit(1)


def _call(name, args, given):
    global _serial
    if len(args) == 1 and isinstance(args[0], dict) and not given:
        given = args[0]
    elif args:
        raise TypeError(name + " takes keyword arguments")
    entry = [threading.Event(), None]
    with _lock:
        _serial += 1
        serial = _serial
        _waiting[serial] = entry
        data = (json.dumps({"id": serial, "name": name, "args": given}) + "\n").encode()
        while data:
            data = data[_outlet.write(data):]
    entry[0].wait()
    message = entry[1]
    if "error" in message:
        raise RuntimeError(message["error"])
    return message.get("result")


def _tool(name):
    def tool(*args, **given):
        return _call(name, args, given)
    tool.__name__ = name
    return tool


def json_parse(text):
    text = str(text)
    tries = [text]
    fenced = re.search(r"\x60\x60\x60(?:json)?\s*(.*?)\x60\x60\x60", text, re.S)
    if fenced:
        tries.append(fenced.group(1))
    begin = re.search(r"[\[{]", text)
    end = max(text.rfind("]"), text.rfind("}"))
    if begin and end > begin.start():
        tries.append(text[begin.start():end + 1])
    for one in tries + [re.sub(r",\s*([\]}])", r"\1", each) for each in tries]:
        try:
            return json.loads(one)
        except ValueError:
            pass
    return json.loads(text)


def shell_quote(text):
    return shlex.quote(str(text))


def retry(work, attempts=3, seconds=1):
    for attempt in range(1, attempts + 1):
        try:
            return work()
        except Exception:
            if attempt == attempts:
                raise
            time.sleep(seconds)


def _main():
    module = types.ModuleType("agent_tools")
    for name in _start["names"]:
        setattr(module, name, _tool(name))
    module.json_parse = json_parse
    module.shell_quote = shell_quote
    module.retry = retry
    module.sleep = time.sleep
    sys.modules["agent_tools"] = module
    threading.Thread(target=_read, daemon=True).start()
    code = _start["code"]
    linecache.cache["code.py"] = (len(code), None, code.splitlines(True), "code.py")
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    try:
        exec(compile(code, "code.py", "exec"), main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        trace = error.__traceback__
        traceback.print_exception(type(error), error, trace.tb_next if trace else None)
        sys.exit(1)


_main()
`;
