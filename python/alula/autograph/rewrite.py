"""The rewriting of a function's syntax tree."""

import ast
import copy
import inspect
import linecache
import textwrap
import types

from alula.autograph import jumps
from alula.autograph.jumps import load, store

_AS_THEY_ARE = {"locals", "globals", "vars", "dir", "eval", "exec"}  # they look at their caller


def rewritten(function):
    """The converted code of a function, with `ag__` among its free variables; None if its source is not
    there."""
    tree = rewritten_tree(function)
    if tree is None:
        return None
    original = function.__code__
    tree.name = "ag__function"  # its own name, if it calls itself, is what it is to others
    # A function around it makes its free variables such; a class around that, private names.
    names = [name for name in original.co_freevars if name != "ag__"]
    arguments = [ast.arg(name) for name in [*names, "ag__"]]
    factory = ast.FunctionDef("ag__factory", _arguments(arguments), [tree], [])
    parts = function.__qualname__.split(".")
    if len(parts) > 1 and parts[-2] != "<locals>":
        factory = ast.ClassDef(parts[-2], [], [], [factory], [])
    module = ast.fix_missing_locations(ast.Module([factory], []))
    code = _find(compile(module, original.co_filename, "exec"), tree.name, original.co_firstlineno)
    return code.replace(co_name=original.co_name, co_qualname=function.__qualname__)


def _find(code, name, line):
    """The function inside of the factory."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = constant if constant.co_name == name else _find(constant, name, line)
            if inner is not None:
                return inner
    return None


def rewritten_tree(function):
    """The converted definition of a function; None if its source is not there."""
    # Not inspect.getsource: that looks through all modules that were ever imported.
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)[code.co_firstlineno - 1 :]
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getblock(lines))))
    except SyntaxError:
        return None
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    node = _definition(tree, function.__code__)
    if node is None or jumps.is_generator(node):
        return None
    node.decorator_list = []
    return _Rewriter(function.__code__.co_filename).function(node)


def _definition(tree, code):
    """The node of a function, or of a lambda made a function."""
    arguments = code.co_varnames[: code.co_argcount]
    if code.co_name == "<lambda>":
        found = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda)]
        found = [n for n in found if tuple(a.arg for a in n.args.posonlyargs + n.args.args) == arguments]
        if len(found) != 1:
            return None
        result = ast.copy_location(ast.Return(found[0].body), found[0].body)
        return ast.copy_location(ast.FunctionDef("ag__lambda", _bare(found[0].args), [result], []), found[0])
    node = tree.body[0] if tree.body else None
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        return None
    node.args = _bare(node.args)
    node.returns = None
    return node


def _bare(arguments):
    """Parameters without what is evaluated when the function is defined. Defaults are put back later."""
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [default and ast.Constant(None) for default in arguments.kw_defaults]
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return arguments


def _arguments(arguments=()):
    return ast.arguments([], list(arguments), None, [], [], None, [])


def _ag(name, *arguments):
    return ast.Call(ast.Attribute(load("ag__"), name, ast.Load()), list(arguments), [])


def _thunk(expression):
    return ast.Lambda(_arguments(), expression)


class _Names(list):
    """Names of local variables, with the parts of objects that are assigned to beside them, by their text."""

    def __init__(self, names, parts):
        super().__init__(names)
        self.parts = parts


class _Rewriter(ast.NodeTransformer):
    def __init__(self, filename):
        self._filename = filename
        self._count = 0
        self._state = set()  # local variables that converted statements assign to
        self._global = set()
        self._self = None  # the name of the first parameter

    def function(self, node):
        """A definition with its statements converted."""
        outer = self._state, self._global, self._self
        self._state, self._global = set(), jumps.declared(node, ast.Global)
        parameters = [a for a in ast.walk(node.args) if isinstance(a, ast.arg)]
        self._self = parameters[0].arg if parameters else None
        node.body = self._block(jumps.with_returns_last(node.body))
        known = {a.arg for a in parameters} | self._global | jumps.declared(node, ast.Nonlocal)
        first = [
            ast.copy_location(ast.Assign([store(name)], _ag("Undefined", ast.Constant(name))), node)
            for name in sorted(self._state - known)
        ]
        node.body = first + node.body
        self._state, self._global, self._self = outer
        return node

    def _block(self, statements):
        made = []
        for statement in statements:
            new = self.visit(statement)
            made.extend(new if isinstance(new, list) else [new])
        return made

    def _where(self, node):
        return ast.Tuple([ast.Constant(self._filename), ast.Constant(node.lineno)], ast.Load())

    # ---- definitions

    def visit_FunctionDef(self, node):
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        return node if jumps.is_generator(node) else self.function(node)

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_ClassDef(self, node):
        return node

    # ---- statements

    def _names(self, *blocks):
        """The local variables that blocks assign to, and with them the parts of objects: `self.x`,
        `d["key"]`."""
        statements = [s for block in blocks for s in block]
        names = jumps.assigned(statements)
        parts = jumps.assigned_parts(statements, names)
        self._state |= names - self._global
        return _Names(sorted(names - self._global), parts)

    def _inner(self, name, names, body, node, arguments=()):
        """A function of the statements, which assigns to the variables around it."""
        declarations = [ast.Nonlocal(list(names))] if len(names) else []
        declarations += [ast.Global([g]) for g in sorted(self._global)]
        inner = ast.FunctionDef(name, _arguments(arguments), declarations + (body or [ast.Pass()]), [])
        return ast.copy_location(inner, node)

    def _state_functions(self, names, number, node):
        parts = [copy.deepcopy(part) for part in names.parts.values()]
        values = [load(name) for name in names] + [_ag("part", _thunk(jumps.loaded(p))) for p in parts]
        get = self._inner(f"ag__get_{number}", [], [ast.Return(ast.Tuple(values, ast.Load()))], node)
        kept = [f"ag__part_{i}" for i in range(len(parts))]
        targets = [store(name) for name in [*names, *kept]]
        body = [ast.Assign([ast.Tuple(targets, ast.Store())], load("ag__values"))] if targets else []
        for name, part in zip(kept, parts):
            body.append(ast.If(_ag("is_defined", load(name)), [ast.Assign([part], load(name))], []))
        put = self._inner(f"ag__set_{number}", names, body, node, [ast.arg("ag__values")])
        described = ast.Tuple([ast.Constant(name) for name in [*names, *names.parts]], ast.Load())
        functions = load(f"ag__get_{number}"), load(f"ag__set_{number}")
        return [get, put], [*functions, described, self._where(node)]

    def _next(self):
        self._count += 1
        return self._count

    def visit_If(self, node):
        returns = getattr(node, "returns", False)
        if not returns and jumps.leaves(node):
            node.test = _ag("plain", self.visit(node.test), self._where(node), ast.Constant("if"))
            node.body, node.orelse = self._block(node.body), self._block(node.orelse)
            return node
        if jumps.deletes(node):
            return self.generic_visit(node)
        names, number = self._names(node.body, node.orelse), self._next()
        functions, state = self._state_functions(names, number, node)
        functions.append(self._inner(f"ag__then_{number}", names, self._block(node.body), node))
        functions.append(self._inner(f"ag__else_{number}", names, self._block(node.orelse), node))
        call = _ag(
            "if_return" if returns else "if_stmt",
            self.visit(node.test),
            load(f"ag__then_{number}"),
            load(f"ag__else_{number}"),
            *state,
        )
        last = ast.Return(call) if returns else ast.Expr(call)
        return [*functions, ast.copy_location(last, node)]

    def visit_While(self, node):
        if jumps.must_stay(node):
            node.test = _ag("plain", self.visit(node.test), self._where(node), ast.Constant("while"))
            node.body, node.orelse = self._block(node.body), self._block(node.orelse)
            return node
        number = self._next()
        before, body, stop = jumps.without_jumps(node.body, number)
        test = node.test if stop is None else ast.BoolOp(ast.And(), [stop, node.test])
        names = self._names(body)
        functions, state = self._state_functions(names, number, node)
        functions.append(self._inner(f"ag__body_{number}", names, self._block(body), node))
        call = _ag("while_stmt", _thunk(self.visit(test)), load(f"ag__body_{number}"), *state)
        return [*before, *functions, ast.copy_location(ast.Expr(call), node)]

    def visit_For(self, node):
        iterated = node.iter
        if isinstance(iterated, ast.Call):
            iterated = self.generic_visit(iterated)
            iterated.func = _ag("iterable_call", iterated.func)
        else:
            iterated = self.visit(iterated)
        if jumps.must_stay(node):
            node.iter = _ag("plain_iter", iterated, self._where(node))
            node.body, node.orelse = self._block(node.body), self._block(node.orelse)
            return node
        number = self._next()
        before, body, stop = jumps.without_jumps(node.body, number)
        item = f"ag__item_{number}"
        body = [ast.copy_location(ast.Assign([node.target], load(item)), node.target), *body]
        names = self._names(body)
        functions, state = self._state_functions(names, number, node)
        functions.append(self._inner(f"ag__body_{number}", names, self._block(body), node, [ast.arg(item)]))
        more = ast.Constant(None) if stop is None else _thunk(self.visit(stop))
        call = _ag("for_stmt", iterated, more, load(f"ag__body_{number}"), *state)
        return [*before, *functions, ast.copy_location(ast.Expr(call), node)]

    def visit_Assert(self, node):
        message = ast.Constant(None) if node.msg is None else self.visit(node.msg)
        call = _ag("assert_stmt", self.visit(node.test), _thunk(message), self._where(node))
        return ast.copy_location(ast.Expr(call), node)

    # ---- expressions

    def _thunks(self, expressions):
        return [_thunk(self.visit(e)) for e in expressions]

    def visit_BoolOp(self, node):
        if jumps.names_values(node):
            return self.generic_visit(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return ast.copy_location(_ag(name, *self._thunks(node.values)), node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return ast.copy_location(_ag("not_", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node):
        if jumps.names_values(node):
            return self.generic_visit(node)
        test = self.visit(node.test)
        call = _ag("if_exp", test, *self._thunks([node.body, node.orelse]), self._where(node))
        return ast.copy_location(call, node)

    def visit_Compare(self, node):
        middle = node.comparators[:-1]
        if not middle or not all(isinstance(m, (ast.Name, ast.Constant, ast.Attribute)) for m in middle):
            return self.generic_visit(node)
        operands = [node.left, *node.comparators]
        pairs = [
            ast.copy_location(ast.Compare(copy.deepcopy(left), [op], [copy.deepcopy(right)]), node)
            for left, op, right in zip(operands, node.ops, operands[1:])
        ]
        return self.visit(ast.copy_location(ast.BoolOp(ast.And(), pairs), node))

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name):
            if node.func.id in _AS_THEY_ARE:
                return node
            if node.func.id == "super":
                if not node.args and self._self is not None:  # it would look at its caller's first argument
                    node.args = [load("__class__"), load(self._self)]
                return node
        node.func = ast.copy_location(_ag("call", node.func), node.func)
        return node
