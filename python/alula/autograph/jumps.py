"""What statements assign to, and where they jump to: return, break and continue."""

import ast
import copy

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_LARGE = 200  # nodes: what is not written twice


def load(name):
    return ast.Name(name, ast.Load())


def store(name):
    return ast.Name(name, ast.Store())


def _inside(nodes, stop=_SCOPES):
    """All nodes of statements, without what is inside of other scopes."""
    open_nodes = list(nodes)
    while open_nodes:
        node = open_nodes.pop()
        yield node
        if not isinstance(node, stop):
            open_nodes.extend(ast.iter_child_nodes(node))


def is_generator(node):
    return any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in _inside(node.body))


def declared(node, kind):
    """The names that a function declares to be global, or of a function around it."""
    return {name for n in _inside(node.body) if isinstance(n, kind) for name in n.names}


def names_values(node):
    """Whether an expression assigns (:=) on its way, or has a value of its caller's."""
    return any(isinstance(n, (ast.NamedExpr, ast.Yield, ast.Await)) for n in ast.walk(node))


def deletes(node):
    return any(
        isinstance(n, ast.Delete) and any(isinstance(t, ast.Name) for t in n.targets) for n in _inside([node])
    )


def assigned(statements):
    """The local variables that statements assign to."""
    names = set()
    for node in _inside(statements, _SCOPES + _COMPREHENSIONS):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
    return names - _names_of_handlers(statements)


def assigned_parts(statements, names):
    """The parts of objects that statements assign to, where what they are parts of stays: `self.x`,
    `d["key"]`. By their text."""
    parts = {}
    for node in _inside(statements, _SCOPES + _COMPREHENSIONS):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            plain = all(
                isinstance(n, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context))
                for n in ast.walk(node)
            )
            if plain and not used & names:
                parts.setdefault(ast.unparse(node), node)
    return dict(sorted(parts.items()))


def loaded(part):
    """The same expression, to be read."""
    part = copy.deepcopy(part)
    part.ctx = ast.Load()
    return part


def _names_of_handlers(statements):
    """`except … as e`: such a name is gone when its handler ends."""
    return {n.name for n in _inside(statements) if isinstance(n, ast.ExceptHandler) and n.name}


def has_return(statements):
    return any(isinstance(n, ast.Return) for n in _inside(statements))


def _has_jump(statement):
    """Whether there is a break or continue of the loop around a statement."""
    return any(isinstance(n, (ast.Break, ast.Continue)) for n in _inside([statement], _SCOPES + _LOOPS))


def leaves(node):
    """Whether a statement may jump out of itself."""
    return has_return([node]) or _has_jump(node)


# ---- return

def _ends(statements):
    """Whether what comes after a block is never reached."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, ast.With) and _ends(last.body)


def with_returns_last(statements):
    """The statements of a function, such that an `if` with a `return` in it is the last one: what follows it
    goes into those of its branches that come to their end. Such an `if` is marked by `returns`."""
    for i, statement in enumerate(statements):
        if isinstance(statement, (ast.Return, ast.Raise)):
            return statements[: i + 1]
        if isinstance(statement, ast.With) and _ends(statement.body):
            statement.body = with_returns_last(statement.body)
            return statements[: i + 1]
        if not isinstance(statement, ast.If) or not has_return([statement]):
            continue
        rest = statements[i + 1 :]
        open_branches = [b for b in (statement.body, statement.orelse) if not _ends(b)]
        if len(open_branches) > 1 and sum(1 for s in rest for _ in ast.walk(s)) > _LARGE:
            continue
        for branch in open_branches:
            branch.extend(copy.deepcopy(rest) if len(open_branches) > 1 else rest)
        statement.body = with_returns_last(statement.body)
        statement.orelse = with_returns_last(statement.orelse)
        statement.returns = True
        return statements[: i + 1]
    return statements


# ---- break and continue

class _CannotBe(Exception):
    pass


def must_stay(node):
    """Whether a loop has what a function of its body cannot have."""
    if node.orelse or has_return(node.body) or deletes(node):
        return True
    try:
        without_jumps(copy.deepcopy(node.body), 0)
    except _CannotBe:
        return True
    return False


def without_jumps(body, number):
    """The body of a loop with variables in the place of break and continue: (statements before the loop,
    body, an expression that is true as long as it goes on, or None)."""
    if not any(_has_jump(statement) for statement in body):
        return [], body, None
    stop, skip = f"ag__stop_{number}", f"ag__skip_{number}"
    inside = [n for statement in body for n in _inside([statement], _SCOPES + _LOOPS)]
    kinds = {type(n) for n in inside if isinstance(n, (ast.Break, ast.Continue))}
    flags = ([stop] if ast.Break in kinds else []) + ([skip] if ast.Continue in kinds else [])
    guarded = _guarded(body, stop, skip, flags)

    def reset(name):
        return ast.copy_location(ast.Assign([store(name)], ast.Constant(False)), body[0])

    if ast.Continue in kinds:
        guarded = [reset(skip), *guarded]
    if ast.Break not in kinds:
        return [], guarded, None
    goes_on = ast.copy_location(ast.UnaryOp(ast.Not(), load(stop)), body[0])
    return [reset(stop)], guarded, goes_on


def _guarded(statements, stop, skip, flags):
    made = []
    for i, statement in enumerate(statements):
        if isinstance(statement, (ast.Break, ast.Continue)):
            name = stop if isinstance(statement, ast.Break) else skip
            made.append(ast.copy_location(ast.Assign([store(name)], ast.Constant(True)), statement))
            return made
        made.append(statement)
        if not _has_jump(statement):
            continue
        if isinstance(statement, ast.If):
            statement.body = _guarded(statement.body, stop, skip, flags)
            statement.orelse = _guarded(statement.orelse, stop, skip, flags)
        elif isinstance(statement, ast.With):
            statement.body = _guarded(statement.body, stop, skip, flags)
        else:
            raise _CannotBe
        rest = _guarded(statements[i + 1 :], stop, skip, flags)
        if rest:
            jumped = load(flags[0]) if len(flags) == 1 else ast.BoolOp(ast.Or(), [load(f) for f in flags])
            test = ast.UnaryOp(ast.Not(), jumped)
            made.append(ast.copy_location(ast.If(test, rest, []), statement))
        return made
    return made
