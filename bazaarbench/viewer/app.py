"""The server: loopback alone, reading alone, with a strict policy on every answer (SPEC §12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from bazaarbench.errors import BazaarError
from bazaarbench.viewer.links import HOME, Links
from bazaarbench.viewer.page import Page, PageMissing, TextFile
from bazaarbench.viewer.render import POLICY, STATIC, html, static_file
from bazaarbench.viewer.site import Site, links_from

#: The only names under which the server is asked: those of this machine.
HOSTS = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class OwnHost:
    """Refuses requests that name another host: a page elsewhere that points its name here."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = HOSTS) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "http" and not self._is_own(scope):
            refusal = Response(
                "This viewer answers to 127.0.0.1 and localhost alone.\n",
                status_code=421,
                media_type="text/plain",
                headers=_HEADERS,
            )
            await refusal(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_own(self, scope: Scope) -> bool:
        named = [value for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1:
            return False
        host = named[0].decode("latin-1").lower()
        name, mark, port = host.rpartition(":")
        if mark and port.isdigit() and port.isascii():
            host = name
        return host in self.hosts


def application(site: Site) -> Starlette:
    """The viewer as an ASGI application."""

    def page(request: Request) -> Response:
        path = request.path_params["path"]
        if path.startswith("static/"):
            return _static(path.removeprefix("static/"))
        query = {key: value for key, value in request.query_params.items()}
        if path == "compare.html" and query.get("a") and query.get("b"):
            return _to_pair(site, query)
        return _answer(site, path, query)

    app = Starlette(routes=[Route("/{path:path}", page, methods=["GET"])])
    app.add_middleware(OwnHost)
    return app


def _answer(site: Site, path: str, query: Mapping[str, str]) -> Response:
    try:
        answer = site.answer(path, query)
    except BazaarError as error:
        # The address is not repeated: its own links start from where the reader is.
        here = path if path and not path.endswith("/") else f"{path}{HOME}"
        status = 404 if isinstance(error, PageMissing) else 409
        values = {"message": str(error), "is_missing": status == 404}
        said = Page(here, "trouble.html.j2", values)
        return _html(html(said, Links(here)), status)
    if isinstance(answer, TextFile):
        name = answer.path.rsplit("/", 1)[-1]
        return Response(
            answer.text.encode("utf-8", "backslashreplace"),
            media_type="text/csv; charset=utf-8",
            headers={**_HEADERS, "Content-Disposition": f'attachment; filename="{name}"'},
        )
    return _html(html(answer, links_from(answer)), answer.status)


def _to_pair(site: Site, query: Mapping[str, str]) -> Response:
    keys = {source.key for source in site.found().runs}
    if {query["a"], query["b"]} <= keys:
        target = Links("compare.html").pair(query["a"], query["b"])
        return RedirectResponse(target, status_code=303, headers=_HEADERS)
    return _answer(site, "compare.html", {})


def _html(body: bytes, status: int) -> Response:
    return Response(
        body, status_code=status, media_type="text/html; charset=utf-8", headers=_HEADERS
    )


def _static(name: str) -> Response:
    if name not in STATIC:
        return Response("There is no such file.\n", status_code=404, headers=_HEADERS)
    return Response(
        static_file(name), media_type=f"{STATIC[name]}; charset=utf-8", headers=_HEADERS
    )
