#!/usr/bin/env bash
# Sahara gives the node groups of a cluster template the name of their node group template when that one is changed.
#
# Versions   sahara 16.0.0 with SQLAlchemy 1.4.54, oslo.db 17.4.0 and jsonschema 3.2.0, with Python 3, on SQLite in memory
# Input      a cluster template with the groups one and two from the node group template workers; then another flavor for workers
# Expected   the groups one and two have the new flavor
# Seen       both groups are called workers from then on
# Meaning    Groups cannot be told apart by their names any more. Create another node group template and another cluster template
#            instead of changing one that is in use.
#
# PYTHON can name an interpreter that has the packages. Otherwise they are installed in a temporary folder.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${PYTHON:-}" ]; then
  python3 -m venv "$work/venv"
  PYTHON=$work/venv/bin/python
  "$PYTHON" -m pip install --quiet --disable-pip-version-check sahara==16.0.0 setuptools==65.5.0 SQLAlchemy==1.4.54 oslo.db==17.4.0 \
    alembic==1.19.2 oslo.messaging==18.3.1 oslo.serialization==5.11.0 oslo.utils==10.2.0 oslo.config==10.7.0 oslo.policy==6.0.1
  # Sahara 16 was written for this one; a package that it does not use here asks for a later one.
  "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-deps jsonschema==3.2.0
fi

cat > "$work/groups.py" <<'PY'
import sys

from oslo_config import cfg

from sahara import conductor, context
from sahara.db import api as db_api

cfg.CONF(['--config-file', sys.argv[1]], project='sahara')
db_api.setup_db()
ctx = context.Context(user_id='u', tenant_id='t', auth_token='x', service_catalog=[], is_admin=True)
context.set_ctx(ctx)
api = conductor.API

plugin = {'plugin_name': 'fake', 'hadoop_version': '0.1', 'tenant_id': 't'}
group = {**plugin, 'name': 'workers', 'flavor_id': '1', 'node_processes': ['datanode']}
workers = api.node_group_template_create(ctx, group)
groups = [{'name': name, 'count': 1, 'node_group_template_id': workers.id} for name in ('one', 'two')]
whole = api.cluster_template_create(ctx, {**plugin, 'name': 'whole', 'node_groups': groups})


def show(when):
    found = api.cluster_template_get(ctx, whole.id).node_groups
    print(when, sorted((each.name, each.flavor_id) for each in found))


show('before')
api.node_group_template_update(ctx, workers.id, {'flavor_id': '2'})
show('after')
PY
printf '[DEFAULT]\nplugins=\ntransport_url=fake://\n[database]\nconnection=sqlite://\n' > "$work/conf"
"$PYTHON" -W ignore "$work/groups.py" "$work/conf" > "$work/seen" 2> "$work/errors" || { tail -5 "$work/errors" >&2; exit 1; }

cat > "$work/known" <<'TEXT'
before [('one', '1'), ('two', '1')]
after [('workers', '2'), ('workers', '2')]
TEXT
cat "$work/seen"
diff "$work/known" "$work/seen" || { echo 'the behavior has changed: update this finding' >&2; exit 1; }
