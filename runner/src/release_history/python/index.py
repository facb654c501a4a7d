"""The releases of a package, as the index lists them that pip is configured for, and their archives.

list NAME FILE     writes a list of releases to a file: one JSON object for each version
fetch ADDRESS FILE writes an archive to a file

Exit code 4: the index has no such package.
"""

import base64
import json
import os
import re
import ssl
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

JSON = "application/vnd.pypi.simple.v1+json"
SOURCES = ".tar.gz"
TIME_LIMIT = 60


def pip(*arguments):
    command = [sys.executable, "-m", "pip", *arguments]
    return subprocess.run(command, capture_output=True, text=True).stdout


def index():
    configured = dict(
        (name.rpartition(".")[2], value.strip("'"))
        for name, _, value in (line.partition("=") for line in pip("config", "list").splitlines())
    )
    if "index-url" in configured:
        return configured["index-url"]
    default = re.search(r"\(default\s+(https?://[^\s)]+)\)", pip("help", "download"))
    if not default:
        sys.exit("pip says no index: install pip for this python3")
    return default[1]


def opened(address, accept):
    parts = urllib.parse.urlsplit(address)
    request = urllib.request.Request(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl())
    request.add_header("Accept", accept)
    if parts.username:
        login = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        request.add_header("Authorization", "Basic " + base64.b64encode(login.encode()).decode())
    certificates = os.environ.get("PIP_CERT") or os.environ.get("REQUESTS_CA_BUNDLE")
    context = ssl.create_default_context(cafile=certificates)
    return urllib.request.urlopen(request, timeout=TIME_LIMIT, context=context)


def releases(name):
    page = re.sub(r"[-_.]+", "-", name).lower()
    address = f"{index().rstrip('/')}/{page}/"
    with opened(address, JSON) as answer:
        if JSON not in answer.headers.get("Content-Type", ""):
            sys.exit(f"{address} answers with no JSON (PEP 691): configure pip for an index that does")
        files = json.load(answer)["files"]
    found = {}
    for file in files:
        whole = file["filename"]
        if whole.endswith(SOURCES):
            version = whole[: -len(SOURCES)].rpartition("-")[2]
        elif whole.endswith(".whl"):
            version = whole.split("-")[1]
        else:
            continue
        known = found.setdefault(version, {"number": version, "yanked": bool(file.get("yanked"))})
        if whole.endswith(SOURCES):
            known["checksum"] = file.get("hashes", {}).get("sha256")
            known["address"] = urllib.parse.urljoin(address, file["url"])
            known["published"] = file.get("upload-time")
    return list(found.values())


def main():
    task, what, path = sys.argv[1:]
    with open(path, "wb") as file:
        if task == "list":
            file.write(json.dumps(releases(what)).encode())
        else:
            with opened(what, "*/*") as archive:
                while part := archive.read(1 << 16):
                    file.write(part)


try:
    main()
except urllib.error.HTTPError as error:
    if error.code == 404:
        sys.exit(4)
    sys.exit(f"{error.url}: {error}")
except (OSError, ValueError, KeyError) as error:
    sys.exit(f"{type(error).__name__}: {error}")
