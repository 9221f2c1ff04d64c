"""Plugins load whole or not at all, and a faulty one is named and harms nobody (SPEC §10)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bazaarbench import plugins
from bazaarbench.errors import PluginError
from bazaarbench.market.rules import PRESETS, Rules
from tests.plugins.site import Site, a_site

PRESET = """
from bazaarbench import hookimpl
from bazaarbench.market.rules import Rules

@hookimpl
def register_presets(register):
    register({name!r}, Rules(meetup_ownership_check="off"))
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with a_site(tmp_path, monkeypatch) as installed:
        yield installed


def only_fault(registry: plugins.Registry) -> plugins.PluginFault:
    (fault,) = registry.faults
    return fault


def assert_only_built_ins(registry: plugins.Registry) -> None:
    assert [one.name for one in registry.plugins] == ["bazaarbench"]
    assert dict(registry.presets) == PRESETS


def test_the_built_ins_come_through_the_hooks_without_any_plugin(site: Site) -> None:
    registry = plugins.load()
    assert_only_built_ins(registry)
    assert registry.faults == ()
    assert set(registry.conditions) >= {"L0", "L1", "L2", "L3"}
    assert set(registry.policies) >= {"honest", "hasty", "crooked", "random"}
    assert set(registry.checks) == {"listing_inventory_check", "meetup_ownership_check"}
    assert len(registry.failure_types) == 7
    assert registry.catalogues["shipped"]().items
    assert "preset paper" in registry.plugins[0].registered


def test_an_installed_plugin_is_loaded_with_its_distribution_and_version(site: Site) -> None:
    site.install("bazaar-mild", PRESET.format(name="mild"), name="mild", version="2.5")
    registry = plugins.load()
    assert registry.presets["mild"] == Rules(meetup_ownership_check="off")
    assert registry.plugins[1:] == (
        plugins.PluginInfo("mild", "bazaar-mild", "2.5", ("preset mild",)),
    )


def test_plugins_are_read_once_and_anew_after_forget(site: Site) -> None:
    first = plugins.load()
    site.install("bazaar-late", PRESET.format(name="late"))
    assert plugins.load() is first
    plugins.forget()
    assert "late" in plugins.load().presets


def test_plugins_are_registered_by_name_whatever_the_order_on_the_path(site: Site) -> None:
    for distribution, name in (("one", "b"), ("two", "c"), ("three", "a")):
        site.install(distribution, PRESET.format(name=f"preset-{name}"), name=name)
    registry = plugins.load()
    assert [one.name for one in registry.plugins] == ["bazaarbench", "a", "b", "c"]
    assert list(registry.presets)[-3:] == ["preset-a", "preset-b", "preset-c"]


@pytest.mark.parametrize(
    ("source", "where", "message"),
    [
        ("import nothing_like_this", "import", "ModuleNotFoundError: No module named"),
        ("def broken(:", "import", "SyntaxError"),
        ("import sys; sys.exit(3)", "import", "SystemExit: 3 (bazaar_bad.py, line 1)"),
        ("BAZAARBENCH_API = 99", "import", "needs the plugin interface 99, this BazaarBench"),
        (
            """
            from bazaarbench import hookimpl

            @hookimpl
            def register_checks(register):
                raise KeyError("no such thing")
            """,
            "register_checks",
            "KeyError: 'no such thing' (bazaar_bad.py, line 6)",
        ),
        (
            """
            from bazaarbench import hookimpl

            @hookimpl
            def register_chekcs(register): ...
            """,
            "registration",
            "unknown hook 'register_chekcs'",
        ),
        (
            """
            from bazaarbench import hookimpl

            @hookimpl
            def register_checks(registry): ...
            """,
            "registration",
            "registry",
        ),
    ],
)
def test_a_faulty_plugin_is_named_and_the_others_load(
    site: Site, source: str, where: str, message: str
) -> None:
    site.install("bazaar-bad", source, name="bad")
    site.install("bazaar-good", PRESET.format(name="good"))
    registry = plugins.load()
    fault = only_fault(registry)
    assert (fault.plugin, fault.distribution, fault.where) == ("bad", "bazaar-bad", where)
    assert message in fault.message
    assert "bad" in str(fault)
    assert "bazaar-bad" in str(fault)
    assert [one.name for one in registry.plugins] == ["bazaarbench", "bazaar-good"]
    assert "good" in registry.presets


def test_a_fault_is_logged_once(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    site.install("bazaar-bad", "raise RuntimeError('broken')", name="bad")
    plugins.load()
    plugins.load()
    assert [record.getMessage() for record in caplog.records] == [
        "Skipped: plugin 'bad' of bazaar-bad, import: RuntimeError: broken (bazaar_bad.py, line 1)"
    ]


def test_what_a_plugin_registered_before_it_failed_is_dropped(site: Site) -> None:
    site.install(
        "bazaar-half",
        PRESET.format(name="half")
        + "    raise RuntimeError('later')\n"
        + "@hookimpl\ndef register_policies(register):\n    register('half', lambda: None)\n",
    )
    registry = plugins.load()
    assert_only_built_ins(registry)
    assert "half" not in registry.policies
    assert "RuntimeError: later" in only_fault(registry).message


def test_what_an_earlier_hook_registered_is_dropped_when_a_later_one_fails(site: Site) -> None:
    site.install(
        "bazaar-half",
        PRESET.format(name="half")
        + "@hookimpl\ndef register_catalogues(register):\n    raise RuntimeError('later')\n",
    )
    assert_only_built_ins(plugins.load())


def test_registering_after_loading_changes_nothing(site: Site) -> None:
    site.install("bazaar-late", PRESET.format(name="late") + "    globals()['keep'] = register\n")
    registry = plugins.load()
    import bazaar_late  # type: ignore[import-not-found]

    bazaar_late.keep("later", Rules())
    assert "later" not in registry.presets


def test_one_plugin_name_from_two_distributions_is_refused_and_both_are_named(site: Site) -> None:
    site.install("bazaar-a", PRESET.format(name="a"), name="same")
    site.install("bazaar-b", PRESET.format(name="b"), name="same", version="7")
    registry = plugins.load()
    assert_only_built_ins(registry)
    assert {fault.distribution for fault in registry.faults} == {"bazaar-a", "bazaar-b"}
    for fault in registry.faults:
        assert "bazaar-a 1.0 and bazaar-b 7" in fault.message


def test_choosing_one_of_two_distributions_settles_their_shared_name(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.install("bazaar-a", PRESET.format(name="a"), name="same")
    site.install("bazaar-b", PRESET.format(name="b"), name="same")
    monkeypatch.setenv(plugins.SWITCH, "bazaar-b")
    registry = plugins.load()
    assert registry.faults == ()
    assert "b" in registry.presets
    assert "a" not in registry.presets


def test_one_registered_name_from_two_plugins_is_refused_and_both_are_named(site: Site) -> None:
    site.install("bazaar-a", PRESET.format(name="same"))
    site.install("bazaar-b", PRESET.format(name="same"))
    site.install("bazaar-c", PRESET.format(name="other"))
    registry = plugins.load()
    assert set(registry.presets) == {*PRESETS, "other"}
    assert [fault.distribution for fault in registry.faults] == ["bazaar-a", "bazaar-b"]
    for fault in registry.faults:
        assert "preset 'same' is registered by bazaar-a 1.0 and bazaar-b 1.0" in fault.message


def test_a_plugin_cannot_replace_or_remove_a_built_in(site: Site) -> None:
    site.install("bazaar-grab", PRESET.format(name="paper"))
    site.install("bazaar-pose", PRESET.format(name="posed"), name="bazaarbench")
    registry = plugins.load()
    assert_only_built_ins(registry)
    assert [fault.distribution for fault in registry.faults] == ["bazaar-pose", "bazaar-grab"]


@pytest.mark.parametrize(
    ("hook", "call", "message"),
    [
        ("presets", "register('x', {'apply_order': 'hashed'})", "preset 'x' is no Rules"),
        ("presets", "register('x')", "takes a name and the preset, and got 1"),
        ("presets", "register('../x', None)", "has the name '../x'"),
        ("presets", "register('', None)", "has the name ''"),
        ("policies", "register('x', 'honest')", "policy 'x' lacks __call__"),
        ("catalogues", "register('x', None)", "catalogue 'x' lacks __call__"),
        ("checks", "register(print)", "a check has the name None"),
        ("failure_types", "register(object())", "has the name None \\(its attribute 'key'"),
        (
            "failure_types",
            "register(type('T', (), {'key': 'bait'})())",
            "failure type 'bait' lacks title, object_kind, decided_by, stages, s1_key, objects",
        ),
        (
            "conditions",
            "register(type('C', (), {'name': 'L9'})())",
            "condition 'L9' lacks about, text",
        ),
        ("checks", "register(type('C', (), {'name': 'c'}))", r"the class C: register an .* C\(\)"),
        (
            "policies",
            "register('x', list); register('x', list)",
            "policy 'x' is registered twice by this plugin",
        ),
    ],
)
def test_rubbish_is_refused_at_registration(site: Site, hook: str, call: str, message: str) -> None:
    site.install(
        "bazaar-rubbish",
        "from bazaarbench import hookimpl\n"
        f"@hookimpl\ndef register_{hook}(register):\n    {call}\n",
    )
    fault = only_fault(plugins.load())
    assert fault.where == f"register_{hook}"
    with pytest.raises(PluginError, match=message):
        raise PluginError(fault.message)


@pytest.mark.parametrize(
    ("value", "loaded"),
    [("", []), ("a", ["a"]), (" bazaar-b , a,", ["a", "b"]), ("a,b,c", ["a", "b", "c"])],
)
def test_the_environment_restricts_plugins_by_plugin_or_distribution(
    site: Site, monkeypatch: pytest.MonkeyPatch, value: str, loaded: list[str]
) -> None:
    for name in ("a", "b", "c"):
        site.install(f"bazaar-{name}", PRESET.format(name=name), name=name)
    monkeypatch.setenv(plugins.SWITCH, value)
    registry = plugins.load()
    assert [one.name for one in registry.plugins[1:]] == loaded
    assert {one.name for one in registry.switched_off} == {"a", "b", "c"} - set(loaded)
    assert registry.faults == ()


def test_a_plugin_that_is_switched_off_is_not_imported(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.install("bazaar-loud", "raise RuntimeError('imported')")
    monkeypatch.setenv(plugins.SWITCH, "")
    assert plugins.load().faults == ()


def test_a_name_in_the_environment_that_is_not_installed_is_told(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.install("bazaar-a", PRESET.format(name="a"), name="a")
    monkeypatch.setenv(plugins.SWITCH, "a,bazaar-misspelt")
    fault = only_fault(plugins.load())
    assert fault.plugin == "bazaar-misspelt"
    assert "a (bazaar-a)" in fault.message


def test_a_required_plugin_that_is_loaded_is_fine_by_either_name(site: Site) -> None:
    site.install("bazaar-a", PRESET.format(name="a"), name="a")
    assert plugins.load(require=["a", "bazaar-a"]).faults == ()


def test_a_faulty_plugin_that_is_required_stops_with_its_fault(site: Site) -> None:
    site.install("bazaar-bad", "raise RuntimeError('broken')", name="bad")
    for name in ("bad", "bazaar-bad"):
        with pytest.raises(PluginError, match=r"bazaar-bad, import: RuntimeError: broken"):
            plugins.load(require=[name])


def test_a_required_plugin_that_is_switched_off_says_so(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.install("bazaar-a", PRESET.format(name="a"), name="a")
    monkeypatch.setenv(plugins.SWITCH, "")
    with pytest.raises(PluginError, match=r"switched off: add it to BAZAARBENCH_LOAD_PLUGINS"):
        plugins.load(require=["a"])


def test_a_required_plugin_that_is_not_installed_says_what_is(site: Site) -> None:
    site.install("bazaar-a", PRESET.format(name="a"), name="a")
    with pytest.raises(PluginError, match=r"'zzz' is not installed. Loaded plugins: a\."):
        plugins.load(require=["zzz"])


def test_a_distribution_without_metadata_is_named_as_well_as_possible(site: Site) -> None:
    site.install("bazaar-half", PRESET.format(name="half"))
    (site.folder / "bazaar_half-1.0.dist-info" / "METADATA").unlink()
    assert plugins.load().plugins[1].distribution == "an unnamed distribution"


def test_the_registry_cannot_be_changed(site: Site) -> None:
    registry = plugins.load()
    with pytest.raises(TypeError):
        registry.presets["mine"] = Rules()  # type: ignore[index]
