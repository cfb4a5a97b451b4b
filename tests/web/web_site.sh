#!/usr/bin/env bash
# The documentation site: built, every link and anchor followed, the references counted (web/site/check.mjs), then opened in headless Chromium at the sizes
# of a desk and of a phone (web/tests/site.mjs). Skipped (77) without Node.js or the packages of web/; without Chromium the pages are not opened.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

skip() {
    echo "skipped: $1"
    exit 77
}
command -v node >/dev/null || skip "Node.js is not installed"
[ -d "$root/web/node_modules/marked" ] && [ -d "$root/web/node_modules/temml" ] && [ -d "$root/web/node_modules/@fontsource/stix-two-math" ] || skip "web/node_modules is missing (npm ci in web/)"
node "$root/web/site/build.mjs" "$CAIRN" "$place/site"

# A site that is made twice is the same.
node "$root/web/site/build.mjs" "$CAIRN" "$place/again" >/dev/null
diff -r "$place/site" "$place/again" || { echo "two builds differ"; exit 1; }

[ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v google-chrome >/dev/null || { echo "not opened: Chromium is not installed"; exit 0; }
[ -d "$root/web/node_modules/playwright-core" ] || { echo "not opened: playwright-core is missing"; exit 0; }
timeout 580 node "$root/web/tests/site.mjs" "$place/site"
