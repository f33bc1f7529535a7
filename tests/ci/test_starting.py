"""``counterpoint init``: what it finds, what it writes, and that it changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from counterpoint.ci import checks, configuration
from counterpoint.ci.gate import run
from counterpoint.ci.starting import Found, FoundSpider, look, start
from counterpoint.console import run as command_line
from counterpoint.main import counterpoint
from counterpoint.sim_web import profile
from counterpoint.sim_web.generator.web import Web
from counterpoint.studies.subjects import PLACEHOLDERS, command_of

ROOT = Path(__file__).resolve().parents[2]

SPIDER = """\
import scrapy

class Base(scrapy.Spider):
    pass

class News(Base, scrapy.Spider):
    name = "news"

class Article(scrapy.Item):
    name = "article"
"""

SPEC = "from counterpoint import Spec\n\nclass Lock(Spec):\n    pass\n"

POLICY = """\
from counterpoint.crawler import Request

class Deep:
    def __init__(self, setting): ...
    def next(self): ...
    def observe(self, outcome): ...
"""


def repository(folder: Path, **files: str) -> Path:
    """Write files, whose names have two underscores for a slash and a dash for a dot."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_what_a_repository_has_is_found(tmp_path: Path) -> None:
    """A spec, a policy or a spider that init does not see, or one of a virtual environment."""
    mutated = SPEC + "@mutant(killed={})\nclass Wrong(Lock):\n    pass\n"
    repository(
        tmp_path, protocols__lock_dot_py=SPEC, protocols__wrong_dot_py=mutated,
        crawls__deep_dot_py=POLICY, news_dot_py=SPIDER,
        tests__test_deep_dot_py=POLICY, env__pyvenv_dot_cfg="", env__lib_dot_py=SPEC,
        broken_dot_py="class (", _dot_gitlab_hyphen="",
    )  # fmt: skip
    (tmp_path / ".gitlab-ci.yml").write_text("")
    (tmp_path / ".github").mkdir()
    assert look(tmp_path) == Found(
        specs=("protocols/lock.py", "protocols/wrong.py"), mutants=("protocols/wrong.py",),
        policies=("crawls.deep:Deep",),
        spiders=(FoundSpider("news.py", "news"),), has_tests=True, has_github=True, has_gitlab=True,
    )  # fmt: skip


def test_nothing_is_imported(tmp_path: Path) -> None:
    """A repository whose code runs because somebody asked for a configuration."""
    text = "raise SystemExit('it was run')\n"
    repository(tmp_path, one_dot_py=SPEC + text, two_dot_py=text)
    assert look(tmp_path).specs == ("one.py",)


@pytest.mark.parametrize("has_crawls", [True, False])
@pytest.mark.parametrize("name", ["ne ws", 'n"ews', "новости", "-x", "..", "!"])
def test_the_configuration_is_valid(tmp_path: Path, has_crawls: bool, name: str) -> None:
    """A template whose result the gate refuses, for some set of findings."""
    for specs, policies, spiders in (
        ((), (), ()),
        (("a b.py", 'c"d.py'), (), ()),
        ((), ("m:P",), (FoundSpider("x.py", "x"), FoundSpider("y.py", "y-1", "seeds", True))),
    ):
        folder = tmp_path / f"{len(specs)}{len(spiders)}{has_crawls}"
        folder.mkdir(exist_ok=True)
        repository(folder, **dict.fromkeys(["x_dot_py"], ""))
        found = Found(specs=specs, policies=policies, spiders=spiders)
        steps = list(start(folder, found, has_crawls))
        assert steps[0].what in ("wrote", "kept")
        document = configuration.load(folder / "counterpoint.toml").document
        assert len(document.check) == max(1, len(specs))
        assert bool(document.policies) == has_crawls
        assert len(document.mutants) == (not specs)
        assert len(document.crawler) == has_crawls * len(spiders)
    folder = tmp_path / "named"
    folder.mkdir()
    list(start(folder, Found(spiders=(FoundSpider("x.py", name), FoundSpider("y.py", name))), True))
    crawlers = configuration.load(folder / "counterpoint.toml").document.crawler
    assert len({crawler.name for crawler in crawlers}) == 2
    assert [crawler.command.split()[2] for crawler in crawlers] == ["x.py", "y.py"]


def test_a_spider_in_a_file_with_any_name(tmp_path: Path) -> None:
    """A command that is split within the name of its file, or that has a placeholder there."""
    files = ["my spiders/it's.py", "{pages}.py", '"$x".py']
    list(start(tmp_path, Found(spiders=tuple(FoundSpider(file, "News") for file in files)), True))
    crawlers = configuration.load(tmp_path / "counterpoint.toml").document.crawler
    values = dict.fromkeys(PLACEHOLDERS, "9")
    commands = [command_of(crawler.command).filled(values) for crawler in crawlers]
    assert [command[:3] for command in commands] == [["scrapy", "runspider", f] for f in files]


def test_each_web_of_a_new_configuration_can_be_generated(tmp_path: Path) -> None:
    """A web that is too small for its profile: the first gate of every user ends with an error."""
    list(start(tmp_path, Found(spiders=(FoundSpider("x.py", "x"),)), True))
    document = configuration.load(tmp_path / "counterpoint.toml").document
    rows = [*document.policies, *document.crawler]
    assert len(rows) == 2
    for row in rows:
        assert isinstance(row.seeds, int)
        for seed in range(row.seeds):
            assert Web(profile.load(row.web), row.web_pages, seed).explicit().pages


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        ("def __init__(self, start='', **more): ...", "start={start}"),
        ("def __init__(self, depth=1, *, seeds='', **more): ...", "seeds={start}"),
        ("def __init__(self, seeds='', **more): self.all = open(seeds).read()",
         "seeds={seeds_file}"),
        ("def __init__(self, seeds='', **more): self.all = pathlib.Path(seeds).read_text()",
         "seeds={seeds_file}"),
        ("def __init__(self, url_file=''): ...", "url_file={seeds_file}"),
        ("def start_requests(self): yield Request(getattr(self, 'seeds', ''))", "seeds={start}"),
        ("def start_requests(self): yield Request(self.seed)", "seed={start}"),
        ("def __init__(self, *args, **kwargs): self.first = kwargs.pop('first_url')",
         "first_url={start}"),
        ("start_urls = ['http://a.test/']\n    def parse(self, answer): self.start_urls",
         "start_url={start}"),
        ("def parse(self, answer): getattr(self, 'start {pages} url', 0)", "start_url={start}"),
        ("async def start(self): yield self.start_requests()", "start_url={start}"),
        ("def parse(self, response): self.seen_urls = 1; print(self.seen_urls)",
         "start_url={start}"),
    ],
)  # fmt: skip
def test_a_spider_is_given_the_argument_that_it_takes(
    tmp_path: Path, body: str, argument: str
) -> None:
    """A spider that begins nowhere, since its first page comes under another name."""
    text = f"import scrapy\nclass News(scrapy.Spider):\n    name = 'news'\n    {body}\n"
    repository(tmp_path, news_dot_py=text)
    list(start(tmp_path, look(tmp_path), True))
    (crawler,) = configuration.load(tmp_path / "counterpoint.toml").document.crawler
    assert f" -a {argument} -s " in crawler.command
    says = (
        "has to begin at its argument `start_url`" in (tmp_path / "counterpoint.toml").read_text()
    )
    assert says == (argument == "start_url={start}")


def test_names_that_differ_in_large_letters_alone(tmp_path: Path) -> None:
    """Two crawlers with one baseline where a file system takes both letters for the same."""
    list(
        start(
            tmp_path,
            Found(spiders=(FoundSpider("x.py", "News"), FoundSpider("y.py", "news"))),
            True,
        )
    )
    crawlers = configuration.load(tmp_path / "counterpoint.toml").document.crawler
    assert [crawler.name for crawler in crawlers] == ["News", "news-2"]


def test_the_example_spec_passes_its_own_gate(tmp_path: Path) -> None:
    """An example that is wrong, or whose mutant survives."""
    list(start(tmp_path, Found(), has_crawls=False))
    found = configuration.load(tmp_path / "counterpoint.toml")
    with found.entered():
        outcomes = run(60, checks.jobs(found), 1)
    assert [(o.job.reference, o.answer) for o in outcomes] == [
        ("specs/door_spec.py", "as expected"),
        ("specs/door_spec.py/nobody-counts", "as expected"),
    ]
    assert [v.claim.name for v in outcomes[1].verdicts if v.answer == "violated"] == ["at-most-two"]


def test_the_workflow_runs_as_it_is_written(tmp_path: Path) -> None:
    """A workflow with a name that is no repository, a cache of missing files, or another report."""
    (tmp_path / ".github").mkdir()
    assert command_line(counterpoint, ["init", str(tmp_path)]) == 0
    text = (tmp_path / ".github/workflows/counterpoint.yml").read_text()
    assert [line.strip()[:9] for line in text.splitlines() if "OWNER" in line] == ["# If you "]
    steps = yaml.safe_load(text)["jobs"]["gate"]["steps"]
    named = [step["uses"] for step in steps if "uses" in step]
    assert all(name.startswith("actions/") for name in named)
    python, report = steps[1]["with"], steps[-1]["with"]
    assert (tmp_path / python["cache-dependency-path"]).is_file()  # else the step fails
    assert [step["run"].split(" #")[0].rstrip() for step in steps if "run" in step] == [
        "pip install $INSTALL", "counterpoint gate --format github",
    ]  # fmt: skip
    assert report["path"] == configuration.load(tmp_path / "counterpoint.toml").document.gate.report
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert report["name"] == action["inputs"]["artifact"]["default"]


@pytest.mark.parametrize(
    ("text", "has_crawls", "installed"),
    [
        (SPIDER, True, "counterpoint[all] scrapy"),
        (SPIDER, False, "counterpoint"),  # its crawlers are left out
        ("", True, "counterpoint[all]"),
    ],
)
def test_pip_installs_what_the_gate_runs(
    tmp_path: Path, text: str, has_crawls: bool, installed: str
) -> None:
    """A workflow whose crawlers cannot start, because nobody installed Scrapy."""
    repository(tmp_path, news_dot_py=text)
    (tmp_path / ".github").mkdir()
    (tmp_path / ".gitlab-ci.yml").write_text("")
    for _ in range(2):  # the second time with a configuration that exists
        *_, github, gitlab = start(tmp_path, look(tmp_path), has_crawls)
        workflow = yaml.safe_load((tmp_path / github.path).read_text())
        job = yaml.safe_load(gitlab.why)["counterpoint"]
        assert workflow["env"]["INSTALL"] == job["variables"]["INSTALL"] == installed
        assert "pip install $INSTALL" in job["script"]
        (tmp_path / github.path).unlink()


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of the user that init replaces, or a second run that changes something."""
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".gitlab-ci.yml").write_text("test: {}\n")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "door_spec.py").write_text("# mine\n")
    assert command_line(counterpoint, ["init", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "kept  specs/door_spec.py (it exists)" in out
    assert "wrote  .github/workflows/counterpoint.yml" in out
    assert "add to .gitlab-ci.yml, which was not changed:\n    counterpoint:\n" in out
    assert (tmp_path / "specs" / "door_spec.py").read_text() == "# mine\n"
    assert (tmp_path / ".gitlab-ci.yml").read_text() == "test: {}\n"
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert command_line(counterpoint, ["init", str(tmp_path)]) == 0
    assert "wrote" not in capsys.readouterr().out
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_a_section_of_pyproject_is_a_configuration(tmp_path: Path) -> None:
    """A second configuration that hides the first; or none, because a folder above has one."""
    (tmp_path / "pyproject.toml").write_text("[tool.counterpoint]\n")
    (first, *_) = start(tmp_path, Found(), has_crawls=False)
    assert (first.what, first.path) == ("kept", "pyproject.toml")
    assert not (tmp_path / "counterpoint.toml").exists()


def test_a_configuration_above_is_not_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second configuration in a folder of specs; or none for a repository within another one."""
    below = tmp_path / "specs" / "below"
    below.mkdir(parents=True)
    (tmp_path / "counterpoint.toml").write_text("")
    monkeypatch.chdir(below)
    assert command_line(counterpoint, ["init"]) == 2
    error = capsys.readouterr().err
    assert f"{tmp_path}/counterpoint.toml is the configuration of this folder already" in error
    assert not list(below.iterdir())
    assert command_line(counterpoint, ["init", "../.."]) == 0  # that is its own folder
    (tmp_path / "specs" / ".git").mkdir()
    (first, *_) = start(below, Found(), has_crawls=False)
    assert (first.what, first.path) == ("wrote", "counterpoint.toml")


def test_no_example_is_written_that_the_configuration_does_not_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Examples that lie in a configured repository, and that nothing runs."""
    (tmp_path / "counterpoint.toml").write_text("")
    assert command_line(counterpoint, ["init", str(tmp_path)]) == 0
    assert "gate runs what the configuration has; " in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["counterpoint.toml"]


def test_what_cannot_be_named_is_left_out_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A configuration that the gate refuses, or a spec that is left out in silence."""
    relative = "from .sizes import N\n" + SPEC
    for name, text in {
        "fäir pol.py": POLICY,
        "class.py": POLICY,
        "open/2.py": POLICY,
        "top.py": "from . import a\n" + POLICY,
        "x_spec.py": "a = (\n",
        "other.py": "b = (\n",
        "no_spec.py": relative,
        "a b/c_spec.py": relative,
        "pkg/deep_spec.py": relative.replace("from .", "from ..", 1),
        "good/policy.py": POLICY,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = look(tmp_path)
    assert found.specs == ()
    assert found.policies == ("good.policy:Deep",)
    policy, spec = "its policy cannot be imported by", "it imports relatively, and is in no package"
    reasons = {
        "fäir pol.py": policy,
        "class.py": policy,
        "open/2.py": policy,
        "top.py": policy,
        "x_spec.py": "it cannot be read: '(' was never closed in line 1",
        "no_spec.py": spec,
        "a b/c_spec.py": spec,
        "pkg/deep_spec.py": spec,
    }
    assert {file: why[: len(reasons[file])] for file, why in found.unusable} == reasons
    assert command_line(counterpoint, ["init", str(tmp_path)]) == 0
    assert "left out  x_spec.py (it cannot be read: " in capsys.readouterr().out


def test_a_spec_that_imports_relatively_is_named_as_a_module(tmp_path: Path) -> None:
    """A check that falls, since a file on its own has no package to import from."""
    list(start(tmp_path, Found(), has_crawls=False))
    door = (tmp_path / "specs" / "door_spec.py").read_text()
    for path in sorted(tmp_path.rglob("*.*")):
        path.unlink()
    package = tmp_path / "src" / "rooms"
    package.mkdir(parents=True)
    (package / "sizes.py").write_text("MOST = 2\n")
    door = door.replace(
        "from counterpoint import", "from .sizes import MOST\nfrom counterpoint import"
    )
    (package / "door_spec.py").write_text(door.replace("s.inside < 2", "s.inside < MOST"))
    list(start(tmp_path, look(tmp_path), has_crawls=False))
    found = configuration.load(tmp_path / "counterpoint.toml")
    with found.entered():
        outcomes = run(60, checks.jobs(found), 1)
    assert [(o.job.reference, o.answer) for o in outcomes] == [
        ("src.rooms.door_spec:Door", "as expected"),
        ("src.rooms.door_spec:Door/nobody-counts", "as expected"),
    ]


@pytest.mark.parametrize(
    ("found", "has_crawls", "paths"),
    [
        (Found(), False, ["counterpoint.toml", "specs/door_spec.py"]),
        (Found(), True, ["counterpoint.toml", "specs/door_spec.py", "policies/most_linked.py"]),
        (Found(specs=("a.py",), policies=("b:C",)), True, ["counterpoint.toml"]),
        (Found(specs=("a.py",), has_jenkins=True), False, ["counterpoint.toml", "Jenkinsfile"]),
    ],
)
def test_only_what_is_missing_is_written(
    tmp_path: Path, found: Found, has_crawls: bool, paths: list[str]
) -> None:
    """An example that the configuration names and nobody wrote, or one that nobody needs."""
    steps = list(start(tmp_path, found, has_crawls))
    assert [step.path for step in steps] == paths
    written = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert written == sorted(path for path in paths if path != "Jenkinsfile")


def test_a_spec_that_is_only_a_part_of_others_is_not_proposed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A check of a spec without a property, or a spec with one that is left out."""
    claim = SPEC.replace("pass", "@invariant\n    def fine(s):\n        return True")
    main = "from counterpoint import Spec\nfrom other import Lock\n\nclass Main(Spec):\n"
    for name, content in {
        "part.py": SPEC.replace("Lock", "Part"),
        "main.py": f"{main}    one = Instance(Part)\n",
        "clock.py": SPEC.replace("Lock", "Clock"),
        "watch.py": f"{main}    @refines(Clock, n=2)\n    def mapping(s, abstract): ...\n",
        "alone.py": SPEC.replace("Lock", "Alone"),
        "derived.py": SPEC.replace("(Spec)", "(Base, Spec)").replace("Lock", "Derived"),
        "counted.py": claim.replace("Lock", "Counted"),
        "uses.py": f"{main}    a = [Instance(Counted), Instance(Derived)]\n",
    }.items():
        (tmp_path / name).write_text(content)
    found = look(tmp_path)
    why = "it claims nothing itself, and is a part of others"
    assert found.unusable == (("clock.py", why), ("part.py", why))
    others = ("alone.py", "counted.py", "derived.py", "main.py", "uses.py", "watch.py")
    assert found.specs == others
    assert command_line(counterpoint, ["init", str(tmp_path)]) == 0
    assert f"left out  part.py ({why})" in capsys.readouterr().out
    assert "part.py" not in (tmp_path / "counterpoint.toml").read_text()
