#!/bin/sh
# Makes the secrets of compose.yaml in the folder secrets beside this file, and an empty malipo.env. If the folder exists, the script
# changes nothing and fails.
set -eu
cd "$(dirname "$0")"
if [ -e secrets ]; then
  echo "the folder $PWD/secrets exists already: remove it if you want new secrets, which a used database does not accept" >&2
  exit 1
fi
# Only this user can enter the folder. The services run as other users, so every user may read the files themselves.
mkdir -m 0700 secrets.new
umask 022
owner=$(openssl rand -hex 24)
server=$(openssl rand -hex 24)
openssl rand -hex 24 > secrets.new/postgres_password
echo "$owner" > secrets.new/owner_password
echo "$server" > secrets.new/server_password
echo "postgresql://malipo_runtime:$server@database/malipo" > secrets.new/database_url
echo "postgresql://malipo:$owner@database/malipo" > secrets.new/migration_database_url
openssl rand -base64 32 > secrets.new/secret_key
openssl rand -hex 24 > secrets.new/mock_secret
# The folder for the secrets of your provider and gateways.
mkdir secrets.new/providers
[ -e malipo.env ] || echo '# Settings of your provider and gateways: one NAME=value a line, see docs/operate/providers.md.' > malipo.env
mv secrets.new secrets
