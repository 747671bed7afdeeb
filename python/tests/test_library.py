"""The bindings against the headers, and the parameters against the library's table of settings."""

import ctypes
import inspect
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import gersh
from gersh import _library, _structures
from gersh._settings import DEFAULTS, TABLE

INCLUDE = Path(__file__).resolve().parents[2] / "include"
C_NAMES = {"Atom": "gersh_atom", "Balance": "gersh_balance", "Cancel": "gersh_cancel",
           "Check": "gersh_check",
           "CustomObjective": "gersh_custom_objective", "Discs": "gersh_discs", "EdgeRule": "gersh_edge_rule",
           "FitInfo": "gersh_fit_info", "FitOptions": "gersh_fit_options", "Graph": "gersh_graph",
           "Importance": "gersh_importance", "ImportanceOptions": "gersh_importance_options",
           "Metric": "gersh_metric", "ObjectiveInfo": "gersh_objective_info", "Progress": "gersh_progress",
           "ReportOptions": "gersh_model_report_options",
           "SettingInfo": "gersh_setting_info", "SolverInfo": "gersh_solver_info", "TuneOptions": "gersh_tune_options",
           "TrainingAccuracy": "gersh_training_accuracy", "TuneProgress": "gersh_tune_progress", "TuneRow": "gersh_tune_row", "Tuning": "gersh_tuning",
           "Tuples": "gersh_tuples", "Verification": "gersh_verification"}


def structures():
    return {name: value for name, value in vars(_structures).items()
            if inspect.isclass(value) and issubclass(value, ctypes.Structure)}


def test_structures_are_laid_out_as_the_compiler_has_them(tmp_path):
    assert set(structures()) == set(C_NAMES)
    lines, expected = [], []
    for name, structure in structures().items():
        lines.append(f'printf("{name} %zu\\n", sizeof({C_NAMES[name]}));')
        expected.append(f"{name} {ctypes.sizeof(structure)}")
        for field, _ in structure._fields_:
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({C_NAMES[name]}, {field}), '
                         f'sizeof((({C_NAMES[name]} *)0)->{field}));')
            member = getattr(structure, field)
            expected.append(f"{name}.{field} {member.offset} {member.size}")
    source = tmp_path / "layout.c"
    source.write_text("#include <stddef.h>\n#include <stdio.h>\n#include <gersh/gersh.h>\nint main(void)\n{\n"
                      + "\n".join(lines) + "\n}\n")
    compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
    subprocess.run([compiler, "-I", INCLUDE, source, "-o", tmp_path / "layout"], check=True)
    printed = subprocess.run([tmp_path / "layout"], check=True, capture_output=True, text=True).stdout
    assert printed.splitlines() == expected


def declarations():
    text = "\n".join(path.read_text() for path in INCLUDE.glob("gersh/*.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return {name: (result.strip(), [a for a in arguments.split(",") if a.strip() != "void"])
            for result, name, arguments in re.findall(r"GERSH_API ([\w\s*]*?)(gersh_\w+)\(([^;]*)\);", text)}


def test_prototypes_have_the_arguments_of_the_headers():
    declared = declarations()
    for name, arguments in _library._FAILING.items():
        assert declared[name][0] == "gersh_status", name
        assert len(arguments) == len(declared[name][1]), name
    for name, (result, arguments) in _library._OTHER.items():
        assert declared[name][0] != "gersh_status", name
        assert (result is None) == (declared[name][0] == "void"), name
        assert len(arguments) == len(declared[name][1]), name


@pytest.mark.parametrize("kind", [gersh.MetricLearner, gersh.MetricLearnerPairs])
def test_parameters_are_those_of_the_table(kind):
    parameters = inspect.signature(kind).parameters
    wanted = {setting.parameter: name for name, setting in TABLE.items() if setting.group in ("scale", "fit", "run")}
    assert set(wanted) <= set(parameters)
    for parameter, name in wanted.items():
        default = parameters[parameter].default
        assert default is None or default == DEFAULTS[name], parameter


def test_docstrings_name_every_choice_and_default_of_the_table():
    text = inspect.getdoc(gersh.MetricLearner)
    sections = dict(re.findall(r"^(\w+) : (.*?)(?=^\w+ : |\Z)", text[:text.index("Attributes\n---")], flags=re.S | re.M))
    for name, setting in TABLE.items():
        if setting.group not in ("scale", "fit", "run"):
            continue
        section = sections[setting.parameter]
        for choice in setting.choices:
            assert f"'{choice}'" in section or choice == "none" and "None" in section, (name, choice)
        stated = re.search(r"default=('\w+'|[\w.-]+)", section)[1]
        assert stated in ("None", "False") or stated.strip("'") == setting.initial, name
    parameters = set(inspect.signature(gersh.MetricLearner).parameters)
    assert parameters <= set(sections)


def test_classes_stand_for_objectives_and_solvers_that_there_are():
    kinds = {gersh.MetricLearner: "classes", gersh.MetricLearnerPairs: "pairs", gersh.MetricLearnerTriplets: "triplets",
             gersh.MetricLearnerQuadruplets: "quadruplets"}
    takes = {objective.name: objective.takes for objective in gersh.objectives()}
    solvers = {solver.name for solver in gersh.solvers()}
    assert set(takes) == set(TABLE["objective"].choices) - {"auto"} and solvers == set(TABLE["solver"].choices)
    found = 0
    for kind, supervision in kinds.items():
        for name, own in vars(gersh).items():
            if inspect.isclass(own) and issubclass(own, kind) and own is not kind:
                found += 1
                objective = own._fixed.get("objective", own._usual.get("objective", "auto"))
                assert objective == "auto" or supervision in takes[objective], name
                assert own._fixed.get("solver", own._usual.get("solver")) in solvers | {None}, name
    assert found > 10


def test_every_public_name_has_a_docstring():
    for name in gersh.__all__:
        value = getattr(gersh, name)
        assert inspect.getdoc(value), name
        for member, function in inspect.getmembers(value, inspect.isfunction):
            if not member.startswith("_") and function.__module__.startswith("gersh"):
                assert inspect.getdoc(function), (name, member)


def test_version_is_that_of_the_headers():
    numbers = re.findall(r"GERSH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (INCLUDE / "gersh/base.h").read_text())
    assert gersh.__version__ == ".".join(numbers)
