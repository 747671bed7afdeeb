"""Checks a model file with NumPy alone, as docs/model-file.md says: verified, FAILED or not fully checked; exit 0, 1, 3."""
import hashlib, json, struct, sys
import numpy as np

def read(path):
    raw = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8:start])
    return json.loads(head.pop("__metadata__")["gersh"]), {name: np.frombuffer(
        raw[start:][slice(*t["data_offsets"])], {"F64": "<f8", "I64": "<i8"}[t["dtype"]]).reshape(t["shape"]) for name, t in head.items()}

def digest(t, names, before=b"", after=b""):
    return hashlib.sha256(before + b"".join(t[name].tobytes() for name in names.split() if name in t) + after).hexdigest()

def metric(rho, t, prefix, dense):
    z = t.get(dense, np.zeros((len(t[prefix + "weight"]), len(t["mean"]))))
    for c in (0, 1) if dense not in t else ():
        np.add.at(z, (np.arange(len(z)), t[prefix + "nodes"][:, c]), t[prefix + "entries"][:, c])
    return rho * np.eye(z.shape[1]) + (z.T * t[prefix + "weight"]) @ z

def solve(objective, near, far, x, w, m, width=0):
    """F, its derivatives by the distances, these, and how much rounding moves the slopes of smoothed hinges."""
    delta = x[:, None] - x
    d = np.maximum(np.einsum("ijf,ijf->ij", delta @ m, delta), 0)
    d = np.where(delta.any(axis=2), np.maximum(d, 1e-16 * d[(far if objective == "deml" else near + far) > 0].mean()), 0)
    root, g, value, shaken = np.sqrt(d), np.zeros_like(d), 0, 0
    slope = np.divide(0.5, root, out=np.zeros_like(d), where=root > 0)  # of the root; equal samples count for nothing
    if objective == "glr":
        value, g = (far * np.exp(-d)).sum() / 2, -far * np.exp(-d) / 2
    elif objective == "deml":
        value, g = -(far * root).sum() / 8, np.where(far > 0, -far / 8 * slope, 0)
    elif objective == "mcml":
        some = near.any(axis=1)
        near, every, e = near[some], (near + far / 4)[some], d[some]
        p, least = near / near.sum(axis=1)[:, None], np.where(every > 0, e, np.inf).min(axis=1)
        q = every * np.exp(np.minimum(least[:, None] - e, 0))
        g[some] = w[some, None] * (p - q / q.sum(axis=1)[:, None])
        value = w[some] @ ((p * e).sum(axis=1) - least + np.log(q.sum(axis=1) / near.sum(axis=1)))
    elif objective == "lsml":
        s, o = (tuple(np.argwhere(np.triu(pairs) > 0).T) for pairs in (near, far))
        pull = np.outer(near[s], far[o] / 4) * (away := np.maximum(np.subtract.outer(root[s], root[o]), 0))
        value = (pull * away).sum()
        g[s], g[o] = (np.where(f != 0, 2 * f * slope[at], 0) for at, f in ((s, pull.sum(axis=1)), (o, -pull.sum(axis=0))))
    else:
        square = np.where(near > 0, (delta**2).sum(axis=2), np.inf)
        square = np.where(np.isclose(square, third := np.sort(square, axis=1)[:, :3][:, -1:], 1e-9, 0), third, square)
        for i, j in ((i, j) for i in range(len(x)) for j in np.argsort(square[i], kind="stable")[:3] if near[i, j] > 0):
            h, push, width = 1 + d[i, j] - d[i], w[i] * w[j] * w * (far[i] > 0) / 2, max(width, 1e-300)
            alpha = np.clip(h / width + (width > 1e-300) / 2, 0, 1)
            value += w[i] * w[j] * d[i, j] / 2 + (push * alpha) @ h
            g[i] -= push * alpha
            g[i, j] += w[i] * w[j] / 2 + push @ alpha
            shaken += (push * (alpha > 0) * (alpha < 1)) @ (1 + d[i, j] + d[i]) / width
    return value, g, d, shaken

def permitted(rules, i, j, sign):
    kind = {frozenset(rule[:2]): rule[2] for rule in rules}.get(frozenset((i, j)))
    return kind in ("allowed", "negative" if sign > 0 else "positive") or not kind and all(r[2] != "allowed" for r in rules)

def lower(solver, rules, value, g, d, shaken, x, rho, c):
    """The lower bound from F, its derivatives and the distances at the witness, and its rounding error."""
    y, u, k = (g + g.T).sum(axis=1)[:, None] * x - (g + g.T) @ x, x - x.mean(axis=0), x.shape[1]
    gradient, a = u.T @ y, (u * y).sum(axis=0)
    least = np.linalg.eigvalsh(gradient / 2 + gradient.T / 2)[0] if solver == "psd" else a.min()
    for i, j in np.argwhere(np.triu(np.ones((k, k)), 1)) if solver in ("balanced", "hull") else ():
        if permitted(rules, i, j, -gradient[i, j]):
            least = min(least, (a[i] + a[j]) / 2 - np.hypot((a[i] - a[j]) / 2, gradient[i, j]))
    size = (abs(g) * d).sum() + c * np.linalg.norm(u, axis=0) @ np.linalg.norm(y, axis=0)
    return value - (g * d).sum() + rho * a.sum() + (c - k * rho) * min(0, least), \
        1e-15 * (sum(x.shape) * size + k * (1 + 4 * c * (u**2).sum(axis=1).max()) * shaken)

def check(path):
    a, t = read(path)  # returned: the verdict, which checks passed, and value and bound as recomputed
    s, fit, rho, rules, n, k, made = a["settings"], a["fit"], a["rho"], a.get("rules", []), a["rows"], len(t["mean"]), {}
    solver, objective, c, value, bound = s["solver"], s["objective"], fit["budget"], fit["objective_value"], fit["bound"]
    m, flip, place = metric(rho, t, "atom_", "dense_atoms"), 1 - 2 * (objective == "deml"), a["witness"]["place"]
    sign = np.sign(m) * (abs(m) > 1e-12 * np.sqrt(np.outer(np.diag(m), np.diag(m)))) * (1 - np.eye(k))
    parts = [np.sum(np.linalg.eigvalsh(np.diag(abs(sign).sum(axis=0)) + e) < 1e-9) for e in (sign, -abs(sign))]
    ok = {"digest": a["digest"]["metric"] == digest(t, "atom_weight atom_nodes atom_entries dense_atoms", b"", struct.pack("<d", rho)),
          "trace": np.trace(m) <= c * (1 + 1e-9) and fit["tol"] == float(s["tol"]),
          "rho": np.linalg.eigvalsh(m)[0] >= rho - 1e-9 * rho - 1e-12 * np.trace(m) and rho == fit["rho"] and
          np.isclose(rho, 1e-5 * c / k if s["rho"] == "auto" else float(s["rho"]), 1e-9, 0),
          "edges": not (solver in ("diagonal", "identity") and sign.any() or solver == "pgml" and (sign > 0).any()) and
          all(permitted(rules, i, j, sign[i, j]) for i, j in np.argwhere(sign)),
          "colours": (np.outer(t["color"], t["color"]) * sign <= 0).all() if "color" in t else
          parts[0] < parts[1] and solver in ("hull", "psd", "hbnb", "pdcone")}
    if bound is not None:
        gap, near, slack = flip * (value - bound), fit["search_gap"], 1e-9 * max(abs(value), abs(bound))
        ok["gap"] = abs(gap - fit["gap"]) <= slack and gap >= -slack and -slack <= near <= gap + slack
        ok["stop"] = fit["stop"] != "converged" or fit["relative_gap"] <= fit["tol"]
    if "x" not in t or {"tuples", "bootstrap", "permutation"} & {*a, *t} or a["custom"] or fit["pairs"]["choice"] in ("sampled", "mined"):
        return ("not fully checked" if all(ok.values()) else "FAILED"), ok, made
    x, w, mean, scale, top = t["x"], t.get("weights", np.ones(n)), t["mean"], t["scale"], abs(t["x"]).max(axis=0)
    names = b"".join((v.encode() if isinstance(v, str) else bytes(v)) + b"\0" for v in a["feature_names"] + a["class_names"])
    std, z, real = x.std(axis=0, ddof=1), t.get("targets", t.get("labels")).astype(float), "targets" in t
    constant = (std <= 1e-13 * top) & ((scale == 1) | (scale == np.maximum(top, 1)))
    ok["samples"] = a["digest"]["samples"] == digest(t, "mean scale x labels targets weights", names)
    ok["scaling"] = a["unit_rows"] == (s["scale"] == "paper") and ((scale == 1) & (mean == 0) if s["scale"] == "none" else (
        (abs(scale - std) <= 1e-9 * std) | constant) & (abs(mean - x.mean(axis=0)) <= 1e-9 * np.maximum(top, scale))).all()
    x = (x - mean) / scale
    x = x / np.maximum(np.linalg.norm(x, axis=1)[:, None] if a["unit_rows"] else 1, 1e-300)
    auto = {"lmnn": 2, "glr": 20}.get(objective, 6) * k / (2 * x[w > 0].var(axis=0, ddof=1).sum())
    ok["trace limit"] = np.isclose(c, float({"auto": auto, "K": k}.get(s["trace"], s["trace"])), 1e-9, 0)
    far = np.outer(w, w) * (np.subtract.outer(z, z) ** 2 / (z.var(ddof=1) or 1) if real else 4 * np.not_equal.outer(z, z))
    near = np.outer(w, w) * (1 - np.eye(n)) * (real | np.equal.outer(z, z))
    f, g, d, _ = solve(objective, near, far, x, w, m)
    ok["value"], made["value"] = np.isclose(value, flip * f, 1e-9, 1e-12 * ((abs(g) * d).sum() + w.sum())), flip * f
    if bound is not None:
        witness = m if place == "metric" else metric(rho, t, "witness_", "witness_dense") if place == "own" else None
        at, error = max((-np.inf if flip < 0 else 0, 0), (-np.inf, 0) if witness is None else lower(
            solver, rules, *solve(objective, near, far, x, w, witness, a["witness"]["smoothing"]), x, rho, c))
        made["bound"], least = flip * min(at, f), 1e-6 * abs(solve(objective, near, far, x, w, c / k * np.eye(k))[0])
        ok["bound"] = -slack - error <= flip * (made["bound"] - bound) <= slack + error + 1e-3 * max(abs(value), least)
        ok["relative gap"] = np.isclose(fit["relative_gap"], fit["gap"] / max(abs(f), least, 2.2e-308), 1e-9, 1e-9)
    return ("verified" if all(ok.values()) else "FAILED"), ok, made

if __name__ == "__main__":
    print(*(found := check(sys.argv[1])), sep="\n")
    sys.exit({"verified": 0, "FAILED": 1}.get(found[0], 3))
