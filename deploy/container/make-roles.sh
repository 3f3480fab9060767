#!/bin/sh
# Makes the two roles of the database, with the passwords of the secrets. At its first start, the container of PostgreSQL runs this
# file.
# `admin db roles --print` prints the same statements. See docs/operate/production.md.
set -eu
psql -v ON_ERROR_STOP=1 -v owner="$(cat /run/secrets/owner_password)" -v server="$(cat /run/secrets/server_password)" \
  --username postgres --dbname malipo <<'END'
create role "malipo" login password :'owner';
create role "malipo_runtime" login password :'server';
alter role "malipo" nosuperuser nobypassrls noreplication;
alter role "malipo_runtime" nosuperuser nocreatedb nocreaterole nobypassrls noreplication;
alter database "malipo" owner to "malipo";
revoke all on database "malipo" from public;
grant connect on database "malipo" to "malipo_runtime";
revoke create on schema public from public;
grant create, usage on schema public to "malipo";
grant usage on schema public to "malipo_runtime";
END
