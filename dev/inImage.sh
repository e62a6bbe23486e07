#!/bin/sh
# Does the main job once in the n8n of an image, inside of it. .github/workflows/versions.yml says how to run it.
set -eu

modules=build/image/node_modules
mkdir -p "$modules/node/bin"
ln -sfn "$(dirname "$(dirname "$(readlink -f "$(command -v n8n)")")")" "$modules/n8n"
ln -sf "$(command -v node)" "$modules/node/bin/node"
N8N_FOLDER=build/image exec node dev/start.mjs --once --folder build/image/user
