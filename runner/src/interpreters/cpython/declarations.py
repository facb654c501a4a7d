# Lists the code objects of source files, without running them. Each argument is a file. Each entry of the output is a
# file, a qualified name, a first line and "class" or "function"; all parts end with a zero byte.
import ast
import sys

NEW_LOCALS = 0x02


def overloads(tree):
    lines = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for decorator in node.decorator_list:
                name = getattr(decorator, "attr", getattr(decorator, "id", ""))
                if name == "overload":
                    lines.add(min(d.lineno for d in node.decorator_list))
    return lines


def write(path, code, left_out, out):
    for constant in code.co_consts:
        if hasattr(constant, "co_qualname"):
            write(path, constant, left_out, out)
    if code.co_firstlineno in left_out:
        return
    is_class = not code.co_flags & NEW_LOCALS and code.co_name != "<module>"
    kind = "class" if is_class else "function"
    for part in (path, code.co_qualname, str(code.co_firstlineno), kind):
        out.write(part.encode("utf-8", "surrogateescape") + b"\0")


sys.setrecursionlimit(10000)
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            source = file.read()
        tree = ast.parse(source, path)
        code = compile(source, path, "exec", dont_inherit=True)
        write(path, code, overloads(tree), sys.stdout.buffer)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        pass
