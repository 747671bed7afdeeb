"""What is learned, by definition: with NumPy, and none of the library's code."""

import numpy as np
import pytest
from conftest import scaled
from scipy.spatial.distance import pdist

import gersh


def glr(learner, X, y):
    """The objective by its definition, at the learner's matrix."""
    Z = scaled(X)
    difference = Z[:, None] - Z[None]
    distance = np.einsum("ijk,kl,ijl->ij", difference, learner.matrix_, difference)
    return float(np.sum(np.triu(np.exp(-distance) * 4 * (y[:, None] != y[None]), 1)))


def test_value_bound_and_limits(wine):
    X, y = wine
    learner = gersh.GLR().fit(X, y)
    M = learner.matrix_
    assert np.allclose(M, M.T)
    assert learner.objective_value_ == pytest.approx(glr(learner, X, y), rel=1e-9)
    assert learner.bound_ <= learner.objective_value_
    assert learner.gap_ == pytest.approx(learner.objective_value_ - learner.bound_)
    assert learner.gap_ <= 0.02 * learner.objective_value_
    assert (learner.stop_ == "converged") == (learner.relative_gap_ <= 1e-3) and learner.n_iter_ >= 1
    identity = gersh.GLR(solver="identity").fit(X, y)
    assert learner.objective_value_ < identity.objective_value_ == pytest.approx(glr(identity, X, y), rel=1e-9)


def test_wider_sets_have_better_values(wine):
    X, y = wine
    value = {solver: gersh.MetricLearner(solver=solver, tol=1e-4).fit(X, y).objective_value_
             for solver in ("diagonal", "balanced", "hull", "psd")}
    slack = 1 + 1e-3
    assert value["psd"] <= slack * value["hull"] and value["hull"] <= slack * value["balanced"]
    assert value["balanced"] <= slack * value["diagonal"]


@pytest.mark.parametrize("scale", ["zscore", "none", "paper"])
@pytest.mark.parametrize("n_components", [None, 2])
@pytest.mark.parametrize("solver", ["balanced", "psd"])
def test_transform_distances_and_matrices_agree(iris, scale, n_components, solver):
    X, y = iris
    learner = gersh.MetricLearner(solver=solver, scale=scale, n_components=n_components).fit(X, y)
    T = learner.transform(X)
    L = learner.components_
    assert T.shape == (150, len(L)) == (150, len(learner.get_feature_names_out()))
    metric = learner.get_metric()
    pairs = np.stack([X[:-1], X[1:]], axis=1)
    distance = learner.pair_distance(pairs)
    assert np.allclose(distance, np.linalg.norm(T[:-1] - T[1:], axis=1))
    assert np.array_equal(learner.pair_score(pairs), -distance)
    assert metric(X[0], X[1]) == pytest.approx(distance[0])
    assert metric(X[0], X[1], squared=True) == pytest.approx(distance[0] ** 2)
    if n_components is None:
        Z = {"zscore": scaled(X), "none": X}.get(scale)
        if Z is None:
            Z = scaled(X) / np.linalg.norm(scaled(X), axis=1, keepdims=True)
        assert np.allclose(pdist(T, "sqeuclidean"), pdist(Z, lambda u, v: (u - v) @ learner.matrix_ @ (u - v)))
    else:
        values = np.linalg.eigvalsh(learner.matrix_)[::-1]
        deviation = {"none": 1}.get(scale, X.std(axis=0, ddof=1))
        assert np.allclose(np.linalg.svd(L * deviation)[1] ** 2, values[:2])
    if scale != "paper":
        V = learner.get_mahalanobis_matrix()
        u = X[3] - X[77]
        assert u @ V @ u == pytest.approx(learner.pair_distance([[X[3], X[77]]])[0] ** 2)
        assert np.allclose(T - T[0], (X - X[0]) @ L.T)


def test_get_metric_is_detached(iris):
    X, y = iris
    learner = gersh.MetricLearner().fit(X, y)
    metric = learner.get_metric()
    before = metric(X[0], X[100])
    learner.set_params(objective="mcml", trace=50.0).fit(X, y)
    assert metric(X[0], X[100]) == before != learner.get_metric()(X[0], X[100])
    with pytest.raises(ValueError, match="u must be a vector of 4 features"):
        metric(X[0, :3], X[1])


def test_graph_and_colors_are_those_of_the_matrix(cancer):
    X, y = cancer
    learner = gersh.MetricLearner().fit(X, y)
    graph, M, names = learner.graph_, learner.matrix_, list(X.columns)
    size = np.sqrt(np.outer(np.diag(M), np.diag(M)))
    first, second = np.nonzero(np.triu(np.abs(M) > 1e-12 * size, 1))
    assert np.array_equal(graph.first, first) and np.array_equal(graph.second, second)
    assert np.allclose(graph.weight, -M[first, second]) and len(graph) == len(first) > 0
    assert np.allclose(graph.diagonal, np.diag(M))
    weights = [abs(weight) for _, _, weight in graph.edges]
    assert weights == sorted(weights, reverse=True)
    one, other, weight = graph.edges[0]
    assert weight == pytest.approx(-M[names.index(one), names.index(other)])
    assert set(learner.colors_) <= {1, -1}
    assert np.all(np.sign(graph.weight) == learner.colors_[first] * learner.colors_[second])
    W = graph.to_scipy().toarray()
    assert np.allclose(W, -(M - np.diag(np.diag(M))), atol=1e-11 * size.max())


def test_graph_in_networkx(cancer):
    networkx = pytest.importorskip("networkx")
    learner = gersh.MetricLearner().fit(*cancer)
    graph, built = learner.graph_, learner.graph_.to_networkx()
    assert isinstance(built, networkx.Graph) and list(built) == graph.names and built.size() == len(graph)
    for one, other, weight in graph.edges:
        assert built[one][other]["weight"] == weight
        assert (built.nodes[one]["color"] == built.nodes[other]["color"]) == (weight > 0)


def test_a_metric_without_edges(iris):
    learner = gersh.MetricLearner(solver="diagonal").fit(*iris)
    assert len(learner.graph_) == 0 and learner.graph_.edges == [] and learner.graph_.to_scipy().nnz == 0
    assert np.allclose(learner.discs_.radius, 0)


def test_discs_end_at_the_smallest_eigenvalue(wine):
    learner = gersh.MetricLearner(rho=1e-3).fit(*wine)
    M, discs = learner.matrix_, learner.discs_
    assert np.allclose(discs.center, np.diag(M))
    assert np.allclose(discs.radius, np.abs(M).sum(axis=1) - np.diag(M))
    S = np.diag(discs.scalar)
    similar = S @ M @ np.linalg.inv(S)
    assert np.allclose(discs.aligned_radius, np.abs(similar).sum(axis=1) - np.diag(similar))
    smallest = np.linalg.eigvalsh(M)[0]
    assert discs.lambda_lower <= smallest + 1e-14 and discs.lambda_min == pytest.approx(smallest, rel=1e-9)
    assert np.allclose(discs.aligned_left, discs.eigenvalue[discs.component], atol=1e-12)
    assert smallest >= 1e-3 * (1 - 1e-9)


def test_without_balance_there_are_no_colors(wine):
    learner = gersh.MCML().fit(*wine)
    assert learner.colors_ is None and learner.discs_ is None and learner.graph_.colors is None
    assert "not balanced" in repr(learner.graph_)


def test_short_names_are_what_they_say(wine):
    X, y = wine
    for short, given in [(gersh.SGML(), {"solver": "sgml"}), (gersh.PGML(objective="mcml"), {"objective": "mcml",
                         "solver": "pgml"}), (gersh.LMNN(), {"objective": "lmnn", "solver": "psd"}),
                         (gersh.MCML(solver="balanced"), {"objective": "mcml"}),
                         (gersh.DEML(), {"objective": "deml"}), (gersh.MCML(solver="balanced"), {}),
                         (gersh.GLR(), {"objective": "glr"})]:
        long = gersh.MetricLearner(**given).fit(X, y)
        assert np.array_equal(short.fit(X, y).matrix_, long.matrix_)
    with pytest.raises(ValueError, match="'objective' parameter of LMNN must be 'lmnn' or None"):
        gersh.LMNN(objective="glr").fit(X, y)
    with pytest.raises(ValueError, match="'solver' parameter of SGML must be 'sgml' or None"):
        gersh.SGML(solver="psd").fit(X, y)


def test_edge_rules(iris):
    X, y = iris
    free = gersh.MetricLearner(solver="hull").fit(X, y)
    i, j = int(free.graph_.first[0]), int(free.graph_.second[0])
    ruled = gersh.MetricLearner(solver="hull", edges=[(i, j, "forbidden")]).fit(X, y)
    assert abs(free.matrix_[i, j]) > 1e-6 and ruled.matrix_[i, j] == 0
    for wrong in [[(0, 9, "forbidden")], [(0, 1, "maybe")], [("none", 1, "positive")], [(0, 1)], [3]]:
        with pytest.raises(ValueError, match="'edges' parameter of MetricLearner must be a list"):
            gersh.MetricLearner(edges=wrong).fit(X, y)
